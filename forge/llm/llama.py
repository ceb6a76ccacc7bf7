"""A process that serves one GGUF file by llama.cpp, for the process that started it.

    python llama.py     # reads its settings, a line of JSON; writes its address once it can answer

Always holds: it listens on 127.0.0.1 only, at a port that was free, and answers who has the key; it
goes when the process that started it goes. It is run as a file and imports nothing of forge's, so
that it is the same wherever it is started.
"""

import ctypes
import json
import os
import signal
import sys
import time

PR_SET_PDEATHSIG = 1
LOOK = 0.5
"""Seconds between looks at whether the parent is there."""
PROMPTS = 1024
"""MiB of prompts that are kept beside those in the slots; llama.cpp's own limit is 8 GiB."""
ERRORS = 1
"""How much is logged."""


def main() -> None:
    given = json.loads(sys.stdin.readline())
    parent = given["parent"]
    if sys.platform == "linux":
        # Loading holds Python's lock for as long as it takes, so that nothing here could look.
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    told = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever else is printed is no address
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = given["file"]
    params.model_alias = {given["name"]}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [given["key"]]
    params.n_parallel = given["slots"]
    params.n_ctx = given["context"] * given["slots"]
    params.fit_params = False  # the settings are to hold, or to fail
    params.cache_ram_mib = PROMPTS
    params.verbosity = ERRORS
    if given["threads"] is not None:
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = given["threads"]
    server = xllamacpp.Server(params)  # until the model is loaded
    print(server.listening_address, file=told, flush=True)
    while os.getppid() == parent:
        time.sleep(LOOK)
    os._exit(1)


if __name__ == "__main__":
    main()
