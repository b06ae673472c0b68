"""Engine 1, dreaming: transcripts become memory.

Read `reflector` for the parts, `extract` for the plan of the offline reflector, `validate` for what nothing passes.
"""
