"""The weights of recall, in one table.

The first eight were fitted on public conversations with evidence labels (LoCoMo, questions of categories 1 to 4)
by logistic regression; figures are reported for conversations that took no part in the fit
(`python -m benchmarks.recall`): there 79 of 100 pieces of evidence are among the first ten, by plain full text 61.
`meaning` came from the same fit with vectors. The rest were set by hand: no public set has projects, importance or
use. They are small enough that no two of them outweigh one more word of a question, except that the own project
comes first.
"""

WEIGHTS: dict[str, float] = {
    "words": 3.25,  # BM25, relative to the best document of this question
    "author": 1.7,  # it was said by the one person the question names
    "session": 2.8,  # BM25 of the best document of the same file or session
    "question": -0.7,  # it is a question itself: the answer is elsewhere
    "phrase": 1.0,  # pairs of words of the question, side by side; full at three
    "around": 2.5,  # share of the question's words that it or its neighbours hold
    "length": 1.3,  # it says something; full at sixty words
    "answers": 2.5,  # BM25 of the question right before it
    "meaning": 3.4,  # cosine, relative to the closest; only with the extra `[semantic]`
    "code": 32.0,  # the same for code, which shares few words with a question about it (fitted on CoSQA's dev half)
    "project": 8.0,  # the project that is asked from, then the person (a half), then the rest
    "durable": 2.0,  # it is a memory file, not what happened in one turn
    "importance": 0.4,  # 0 to 1, around the middle
    "confidence": 0.3,  # 0 to 1, around the middle
    "recency": 0.3,  # halved every ninety days
    "use": 0.2,  # recalled before; halved every fourteen days
}
BEST = sum(w for n, w in WEIGHTS.items() if w > 0 and n not in {"meaning", "code"})
"""What a document would get that is best in everything: scores are shown as a share of it."""

RECENCY_DAYS = 90.0
USE_DAYS = 14.0
FULL_LENGTH = 60
FULL_PHRASES = 3
REACH = 2
"""How far a document's neighbours are looked at, in its file or session."""
