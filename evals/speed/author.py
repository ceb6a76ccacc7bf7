"""How well a model is kept busy while it writes: real time beside the least that it could be.

    python evals/speed/author.py [--slots 64] [--seconds 1] [--documents 24] [--operations 12]

A local server answers each request after `--seconds`, `--slots` at a time. `--documents` made-up
documents, each with a few operations that rules understand and `--operations` that they do not, are
given to the passes of `forge synth --model`, twice: answered with nothing of use, so that each
piece takes all its tries, and with a function that is right, which is then run through its checks.
The least that it could take is the greater of requests ÷ slots and the longest chain of requests
that wait for each other, times the seconds. Server, client and checks share this machine.
"""

import argparse
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from endpoint import Reply, Request, completion, serving

from forge.docs.read import read
from forge.llm.client import Endpoint
from forge.pipeline.commission import Commission, Engagement, authored
from forge.pipeline.passes.desk import Effort
from forge.pipeline.synth import drafted

MARK = 1.25


def document(number: int, operations: int) -> dict[str, Any]:
    """Tickets that can be read and made, and steps of which nothing says what they do."""
    ticket = {
        "type": "object",
        "required": ["id", "subject", "status", "level"],
        "properties": {
            "id": {"type": "string", "readOnly": True},
            "subject": {"type": "string", "examples": ["No sound in room 4"]},
            "status": {"type": "string", "enum": ["open", "waiting", "solved"]},
            "level": {"type": "string", "enum": ["desk", "expert"]},
        },
    }
    one = {"description": "It.", "content": {"application/json": {"schema": ticket}}}
    many = {"type": "array", "items": ticket}
    several = {"description": "All.", "content": {"application/json": {"schema": many}}}
    key = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    paths: dict[str, Any] = {
        "/tickets": {
            "get": {"operationId": "listTickets", "responses": {"200": several}},
        },
        "/tickets/{id}": {
            "get": {"operationId": "getTicket", "parameters": [key], "responses": {"200": one}}
        },
    }
    for step in range(operations):
        paths[f"/tickets/{{id}}/step{step}"] = {
            "post": {
                "operationId": f"stepTicket{step}",
                "summary": f"Takes step {step}.",
                "parameters": [key],
                "responses": {"200": one},
            }
        }
    return {"openapi": "3.0.3", "info": {"title": f"Desk {number}", "version": "1"}, "paths": paths}


def nothing(request: Request) -> str:
    return "I cannot say."


def right(request: Request) -> str:
    """The function that is asked for; to all else, nothing of use."""
    asked = str(request.body["messages"][-1]["content"])
    found = re.search(r"def (step_ticket_?\d+)\(ticket_id: str\)", asked)
    if found is None:
        return nothing(request)
    return (
        f"```python\ndef {found[1]}(ticket_id: str) -> dict:\n"
        '    if get("tickets", ticket_id)["level"] == "expert":\n'
        '        fail("conflict", "it is there already")\n'
        '    return update("tickets", ticket_id, level="expert")\n```'
    )


def measured(answer: Callable[[Request], str], given: argparse.Namespace) -> Mapping[str, float]:
    def reply(request: Request) -> Reply:
        return Reply(completion({"content": answer(request)}), seconds=given.seconds)

    with tempfile.TemporaryDirectory() as folder, serving(reply, slots=given.slots) as server:
        for number in range(given.documents):
            path = Path(folder) / f"desk{number}.json"
            path.write_text(json.dumps(document(number, given.operations)))
        drafts = drafted(read([Path(folder)]))
        commission = Commission(
            Endpoint("scripted", server.url),
            Path(folder) / "answers.db",
            concurrency=given.slots,
            effort=Effort(),
        )
        with Engagement(commission, seed=0) as engagement:
            began, cpu = time.perf_counter(), time.process_time()
            engagement.run(lambda desk: authored(drafts, commission, desk))
            seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
        most: dict[str, int] = {}
        for piece in engagement.pieces:
            most[piece.use] = max(most.get(piece.use, 0), piece.tries)
        chain = sum(most.values())
        least = max(len(server.asked) / given.slots, chain) * given.seconds
    return {
        "requests": len(server.asked),
        "longest chain": chain,
        "least seconds": least,
        "seconds": seconds,
        "ratio": seconds / least,
        "CPU seconds": cpu,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--slots", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--documents", type=int, default=24)
    parser.add_argument("--operations", type=int, default=12)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = {
        "nothing of use": measured(nothing, given),
        "right functions, checked": measured(right, given),
    }
    if given.json:
        print(json.dumps(found, indent=1))
        return
    names = list(next(iter(found.values())))
    print(f"{'answers':26}" + "".join(f"{name:>15}" for name in names))
    for answers, row in found.items():
        print(f"{answers:26}" + "".join(f"{row[name]:15.2f}" for name in names))
    met = found["nothing of use"]["ratio"] <= MARK
    print(f"at most {MARK} of the least, where nothing is to be run: {'met' if met else 'NOT met'}")
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, load {load:.1f}, Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
