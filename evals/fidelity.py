"""How true forge's environments are to benchmarks' own, over all domains that have tool documents.

    python evals/fidelity.py CORPUS CHECKOUTS --out FOLDER [--drawn N] [-n N]

Of each document in CORPUS (`tools-taubench/`, `tools-bfcl/`, `tools-acebench/`) `forge synth` makes
an environment, which `forge fidelity` holds against the benchmark in CHECKOUTS (`tau-bench/`,
`bfcl/`, `acebench/`). FOLDER gets the environments, each report as JSON, and fidelity.md with the
tables. Rules of the author may be mended by what the half `tuned` shows, never by the other; the
halves were fixed beforehand. BFCL's memory classes need packages that the others do not
(`pip install rank_bm25 overrides filelock`).
"""

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOMAINS = {
    "tau-bench:airline": ("tools-taubench/airline.openai-tools.json", "tuned"),
    "bfcl:GorillaFileSystem": ("tools-bfcl/gorilla_file_system.json", "tuned"),
    "bfcl:MathAPI": ("tools-bfcl/math_api.json", "tuned"),
    "bfcl:MessageAPI": ("tools-bfcl/message_api.json", "tuned"),
    "bfcl:TwitterAPI": ("tools-bfcl/posting_api.json", "tuned"),
    "bfcl:MemoryAPI_kv": ("tools-bfcl/memory_kv.json", "tuned"),
    "bfcl:MemoryAPI_rec_sum": ("tools-bfcl/memory_rec_sum.json", "tuned"),
    "tau-bench:retail": ("tools-taubench/retail.openai-tools.json", "held out"),
    "bfcl:TicketAPI": ("tools-bfcl/ticket_api.json", "held out"),
    "bfcl:TradingBot": ("tools-bfcl/trading_bot.json", "held out"),
    "bfcl:TravelAPI": ("tools-bfcl/travel_booking.json", "held out"),
    "bfcl:VehicleControlAPI": ("tools-bfcl/vehicle_control.json", "held out"),
    "acebench:en": ("tools-acebench/en.agent-tools.json", "held out"),
    "acebench:zh": ("tools-acebench/zh.agent-tools.json", "held out"),
}
"""Reference -> its tool document, and which half it is of."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--drawn", type=int, default=100)
    parser.add_argument("-n", type=int)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    rows = {name: _measure(name, given) for name in DOMAINS}
    counts = {name: _operations(given.corpus / file) for name, (file, _) in DOMAINS.items()}
    text = "\n".join(_tables(rows, counts)) + "\n"
    (given.out / "fidelity.md").write_text(text, encoding="utf-8")
    print(text, end="")


def _measure(name: str, given: argparse.Namespace) -> dict[str, Any] | str:
    """The report, or why there is no environment."""
    place = given.out / name.replace(":", "-")
    document = given.corpus / DOMAINS[name][0]
    made = _forge("synth", document, "--tasks", 1, "--out", place, "--no-resume")
    if made.returncode:
        return made.stderr.strip().removeprefix("forge: ").partition(" (the README")[0]
    more = ["-n", given.n] if given.n else []
    root = given.checkouts / name.partition(":")[0]
    flags = ["--against", name, "--root", root, "--drawn", given.drawn, *more, "--json"]
    done = _forge("fidelity", place, *flags)
    if done.returncode:
        raise SystemExit(done.stderr)
    (given.out / f"{place.name}.json").write_text(done.stdout, encoding="utf-8")
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def _operations(document: Path) -> int:
    read = json.loads(_forge("docs", document, "--json").stdout)
    return sum(len(each["operations"]) for each in read)


def _forge(*arguments: object) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "forge", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, check=False)


def _tables(rows: dict[str, dict[str, Any] | str], counts: dict[str, int]) -> Iterator[str]:
    yield "| reference | half | tools | covered | compared | gold the same | random the same |"
    yield "|---|---|--:|--:|--:|--:|--:|"
    for name, report in rows.items():
        half = DOMAINS[name][1]
        if isinstance(report, str):
            yield f"| {name} | {half} | {counts[name]} | 0 | 0 | no environment | |"
            continue
        tools = report["tools"]
        shares = [_share(tools, how) for how in ("golden", "drawn")]
        yield (
            f"| {name} | {half} | {len(tools)} | {report['covered']} | {report['compared']} |"
            f" {shares[0]} | {shares[1]} |"
        )
    yield ""
    yield "| tool | calls | refusal | result | alike | change | same |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for name, report in rows.items():
        if not isinstance(report, str):
            yield from _tools(name, report)
    for name, report in rows.items():
        yield f"\n**{name}**\n"
        if isinstance(report, str):
            yield f"- no environment: {report}"
            continue
        reasons = Counter(tool["why"] for tool in report["tools"] if tool["why"])
        yield from (f"- {count} not compared: {why}" for why, count in reasons.most_common())
        for tool in report["tools"]:
            if tool["first"]:
                yield f"- `{tool['name']}` first: {_first(tool['first'])}"


def _tools(name: str, report: dict[str, Any]) -> Iterator[str]:
    for tool in report["tools"]:
        for how, said in (("golden", "gold"), ("drawn", "random")):
            tally = tool[how]
            if tally["calls"]:
                yield (
                    f"| {name} `{tool['name']}`, {said} | {tally['calls']} | {tally['refusal']} |"
                    f" {tally['result']} of {tally['answered']} | {tally['alike']} |"
                    f" {tally['change']} | {tally['same']} |"
                )


def _share(tools: list[dict[str, Any]], how: str) -> str:
    calls = sum(tool[how]["calls"] for tool in tools)
    return f"{sum(tool[how]['same'] for tool in tools)} of {calls}"


def _first(first: dict[str, Any]) -> str:
    sides = [json.dumps(first[side])[:160] for side in ("arguments", "theirs", "ours")]
    drawn = ", random" if first["drawn"] else ""
    return f"{first['part']}, {first['why']}: {sides[0]}: {sides[1]} / {sides[2]}{drawn}"


if __name__ == "__main__":
    main()
