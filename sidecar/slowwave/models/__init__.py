"""Doorway 4: language models. One question and one answer, in values of ours, whoever answers.

    protocol    what may be asked, what may come back, and the Protocol a variant satisfies
    anthropic   the Messages API, by its SDK, at any endpoint that speaks it
    agent_cli   a coding agent the person already pays for, run headless with its own tools off
    scripted    plays a given script; a real part, used by tests and benchmarks
    prices      what a million tokens cost, with date and source
    keys        where the key of an endpoint comes from

Nothing here knows what a dream is, keeps a ledger, or tries twice: the engine does.
"""
