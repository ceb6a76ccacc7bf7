"""Answers that were paid for, kept, so that the same question is asked once.

Always holds: an answer is in the file when `put` returns, whatever becomes of the process; several
processes may use one file; the key is the whole of what decides an answer and no secret.
"""

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from forge.errors import UserError
from forge.llm.completion import Completion
from forge.types.data import Json

PATIENCE = 30.0
"""Seconds to wait for another process that writes."""


def key_of(model: str, base_url: str, body: Mapping[str, Json], sample: int) -> str:
    """Of one answer; `sample` tells apart those that are wanted of the same question."""
    text = json.dumps([model, base_url, body, sample], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


class Cache:
    def __init__(self, path: Path) -> None:
        """UserError if the file cannot be made or is something else."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
            self._file.execute("pragma journal_mode = wal")
            self._file.execute(
                "create table if not exists answers (key text primary key, answer text not null)"
                " without rowid"
            )
        except (sqlite3.Error, OSError) as error:
            raise UserError(
                f"no cache of answers: {error}", where=str(path), mend="remove it, or --cache FILE"
            ) from None

    def get(self, key: str) -> Completion | None:
        row = self._file.execute("select answer from answers where key = ?", (key,)).fetchone()
        if row is None:
            return None
        try:
            return Completion.model_validate_json(row[0])
        except ValidationError:  # of another version of forge
            return None

    def put(self, key: str, answer: Completion) -> None:
        text = answer.model_dump_json(exclude_defaults=True)
        self._file.execute("insert or replace into answers values (?, ?)", (key, text))

    def close(self) -> None:
        self._file.close()
