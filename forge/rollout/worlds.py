"""The environments of the rollouts that are open: opened when first needed, closed after the last.

Always holds: no more are open at a time than `most`; one that cannot be opened is an error of its
own rollouts, and of no others.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

from forge.env.session import World


@dataclass(slots=True)
class _Place:
    found: World | Exception
    users: int = 0


class Worlds:
    """For one event loop. `open_world` is called on a thread of `pool`, with an environment's
    name."""

    def __init__(self, open_world: Callable[[str], World], pool: Executor, most: int) -> None:
        self._open_world, self._pool, self._most = open_world, pool, most
        self._places: dict[str, _Place] = {}
        self._last = ""
        self._fewer = asyncio.Event()

    async def lease(self, env: str) -> World | Exception:
        """The environment, or why it cannot be had; to be given back in either case. One caller
        at a time; those that need the same follow each other."""
        if env != self._last:
            before, self._last = self._last, env
            self._close_unused(before)
        if env not in self._places:
            while len(self._places) >= self._most:
                self._fewer.clear()
                await self._fewer.wait()
            await asyncio.get_running_loop().run_in_executor(self._pool, self._open, env)
        place = self._places[env]
        place.users += 1
        return place.found

    def give_back(self, env: str) -> None:
        self._places[env].users -= 1
        if env != self._last:
            self._close_unused(env)

    def close(self) -> None:
        """Nothing may be running in the pool."""
        for place in self._places.values():
            _close(place)
        self._places.clear()

    def _open(self, env: str) -> None:
        try:
            found: World | Exception = self._open_world(env)
        except Exception as error:  # the boundary: told in the rollouts that needed it
            found = error
        self._places[env] = _Place(found)

    def _close_unused(self, env: str) -> None:
        place = self._places.get(env)
        if place is not None and not place.users:
            _close(self._places.pop(env))
            self._fewer.set()


def _close(place: _Place) -> None:
    if isinstance(place.found, World):
        place.found.close()
