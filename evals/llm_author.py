"""What a real model adds to what rules make, pass by pass: a sample document whole, and operations
of real APIs that rules leave out.

    pip install 'forge-envs[llm,local]'; forge models fetch qwen2.5-coder-1.5b
    python evals/llm_author.py --model local:models/qwen2.5-coder-1.5b.gguf --out FOLDER \
        [--stripe openapi.json] [--gitea openapi.json] [--threads N] [--slots N] [--docs FILE...]

Any `--model` and `--base-url` that `forge synth` takes will do. A part of a large document is its
operations named below, as they stand, with all the schemas that they use. Each document goes
through `forge synth --model`, as a user would run it, and once without a model beside it; both data
sets go through `forge verify`. Answers are kept in FOLDER/answers.db, data sets in FOLDER/sets/,
what each run said in FOLDER/reports/: an interrupted run goes on, and one that is finished is not
made again. FOLDER/llm-author.md holds the table, FOLDER/tools/ what the model wrote and was kept.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

PARTS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "stripe": {
        "/v1/payouts": ("get",),
        "/v1/payouts/{payout}": ("get",),
        "/v1/payouts/{payout}/cancel": ("post",),
        "/v1/reviews/{review}": ("get",),
        "/v1/reviews/{review}/approve": ("post",),
        "/v1/refunds": ("get",),
        "/v1/refunds/{refund}": ("get",),
        "/v1/refunds/{refund}/cancel": ("post",),
        "/v1/disputes": ("get",),
        "/v1/disputes/{dispute}": ("get",),
        "/v1/disputes/{dispute}/close": ("post",),
        "/v1/payment_intents": ("get",),
        "/v1/payment_intents/{intent}": ("get",),
        "/v1/payment_intents/{intent}/capture": ("post",),
        "/v1/invoices": ("get",),
        "/v1/invoices/{invoice}": ("get",),
        "/v1/invoices/{invoice}/finalize": ("post",),
        "/v1/issuing/authorizations": ("get",),
        "/v1/issuing/authorizations/{authorization}": ("get",),
        "/v1/issuing/authorizations/{authorization}/decline": ("post",),
        "/v1/terminal/readers": ("get",),
        "/v1/terminal/readers/{reader}": ("get",),
        "/v1/terminal/readers/{reader}/cancel_action": ("post",),
    },
    "gitea": {
        "/repos/{owner}/{repo}": ("get",),
        "/repos/{owner}/{repo}/issues": ("get",),
        "/repos/{owner}/{repo}/issues/{index}": ("get",),
        "/repos/{owner}/{repo}/issues/{index}/deadline": ("post",),
        "/repos/{owner}/{repo}/pulls": ("get",),
        "/repos/{owner}/{repo}/pulls/{index}": ("get",),
        "/repos/{owner}/{repo}/pulls/{index}/reviews": ("get",),
        "/repos/{owner}/{repo}/pulls/{index}/reviews/{id}": ("get",),
        "/repos/{owner}/{repo}/pulls/{index}/reviews/{id}/dismissals": ("post",),
        "/repos/{owner}/{repo}/pulls/{index}/reviews/{id}/undismissals": ("post",),
    },
}
"""Path -> methods: what the record is shown by, and the operations that rules leave out."""


def cut(document: Mapping[str, Any], part: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """The document with these operations alone; SystemExit if one is not there."""
    paths: dict[str, Any] = {}
    for path, methods in part.items():
        whole = document["paths"].get(path)
        if whole is None or any(method not in whole for method in methods):
            sys.exit(f"the document has no {', '.join(methods).upper()} {path}")
        kept = {name: value for name, value in whole.items() if name in (*methods, "parameters")}
        paths[path] = kept
    return {**document, "paths": paths}


def forge(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "forge", *map(str, arguments)]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)


def run(document: Path, out: Path, model: list[str], tasks: int) -> dict[str, Any]:
    """What `forge synth` and `forge verify` say of one document, with a model and without."""
    report = out / "reports" / f"{document.stem}.json"
    if report.exists():
        found: dict[str, Any] = json.loads(report.read_text())
        return found
    found = {"document": document.name}
    for name, flags in (("rules", []), ("model", [*model, "--cache", str(out / "answers.db")])):
        data = out / "sets" / f"{document.stem}-{name}"
        began = time.perf_counter()
        made = forge("synth", document, "--out", data, "--tasks", tasks, "--json", *flags)
        if made.returncode != 0:
            sys.exit(f"{document.name}: forge synth ended with {made.returncode}")
        found[name] = json.loads(made.stdout) | {"wall": round(time.perf_counter() - began)}
        found[name]["verified"] = forge("verify", data).returncode == 0
    report.parent.mkdir(parents=True, exist_ok=True)
    report.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    return found


def keep_tools(document: Path, out: Path) -> None:
    """The functions that the model wrote and that were kept, in one file a document."""
    from forge.dataset.folder import read_dataset

    texts = []
    data = read_dataset(out / "sets" / f"{document.stem}-model")
    for environment in map(data.environment, data.manifest.environments):
        functions = environment.source.split("\n\n\n")
        for name, made in sorted(environment.made.items()):
            kind, _, tool = name.partition("/")
            if kind == "tools":
                texts += [f"# {made.prompt}, at try {made.tries}"]
                texts += [each for each in functions if each.lstrip().startswith(f"def {tool}(")]
    if texts:
        path = out / "tools" / f"{document.stem}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n\n".join(text.strip() for text in texts) + "\n")


def table(reports: list[dict[str, Any]]) -> Iterator[str]:
    yield "| document | pass | pieces | taken at first | taken | asked | seconds | tokens |"
    yield "|---|---|---|---|---|---|---|---|"
    for report in reports:
        for name, each in report["model"]["model"]["passes"].items():
            tries = each.get("gained_at_try", {})
            tokens = each["prompt_tokens"] + each["completion_tokens"]
            cells = [
                report["document"], name, each.get("pieces", ""), tries.get("1", 0),
                each.get("gained", ""), each["asked"] + each["cached"], round(each["seconds"]),
                f"{tokens:,}",
            ]  # fmt: skip
            yield f"| {' | '.join(map(str, cells))} |"
    yield ""
    yield "| document | author | tools | of operations | tasks | verified | wall seconds |"
    yield "|---|---|---|---|---|---|---|"
    for report in reports:
        for author in ("rules", "model"):
            each = report[author]
            made = each["environments"]
            cells = [
                report["document"], author, sum(one["implemented"] for one in made),
                sum(one["operations"] for one in made), sum(one["kept"] for one in made),
                "yes" if each["verified"] else "NO", each["wall"],
            ]  # fmt: skip
            yield f"| {' | '.join(map(str, cells))} |"
    yield ""
    for report in reports:
        for name, each in report["model"]["model"]["passes"].items():
            for reason, count in each.get("failures", {}).items():
                yield f"- {report['document']}, {name}: {count} not: {reason}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--model", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--docs", type=Path, nargs="*", default=[])
    parser.add_argument("--tasks", type=int, default=6)
    for name in PARTS:
        parser.add_argument(f"--{name}", type=Path)
    given, flags = parser.parse_known_args()
    documents = list(given.docs)
    for name, part in PARTS.items():
        whole = getattr(given, name)
        if whole is not None:
            path = given.out / "documents" / f"{name}-part.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(cut(json.loads(whole.read_text()), part)))
            documents.append(path)
    reports = []
    for document in documents:
        reports.append(run(document, given.out, ["--model", given.model, *flags], given.tasks))
        keep_tools(document, given.out)
    text = "\n".join(table(reports)) + "\n"
    (given.out / "llm-author.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
