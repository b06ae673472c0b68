"""CORRIDOR out: one question, ranked hits from memory.

`index` keeps the documents of the memory files up to date; `search` turns a question into ranked hits;
`context` gathers what an agent should know at the start of its work.
"""
