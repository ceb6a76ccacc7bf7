#!/usr/bin/env bash
# Serves an open model by vLLM for forge: as a policy, a user, or the author of environments.
#
#   pip install vllm
#   train/vllm-serve.sh Qwen/Qwen3-8B                        # a name on a hub, or a folder
#   PARSER=llama3_json train/vllm-serve.sh FOLDER --tensor-parallel-size 2    # more goes to vllm
#   forge rollout DATASET --model Qwen3-8B --base-url http://127.0.0.1:8000/v1
#
# PARSER   reads a model's calls: hermes (Qwen2.5, Qwen3, Hermes), llama3_json, mistral, … Models whose
#          calls it does not read are asked with --format hermes or json, which need no parser.
# CONTEXT  tokens that a conversation may have; --context window or summary keeps it within.
# NAME     what --model says; HOST, PORT: where it listens. A key for others than this machine:
#          VLLM_API_KEY here, OPENAI_API_KEY for forge.
#
# TRAINED  1 where `forge train` is to send it weights (sampler.by: server). It then also takes other
#          requests that change it: let only the trainer reach it.
#
# A trainer that wants ids and log-probabilities asks for them with each request ("return_token_ids":
# true, "logprobs": true); `processed` are those that were sampled from. forge's client keeps none.
set -euo pipefail
model=${1:?"usage: train/vllm-serve.sh MODEL [options of vllm serve]"}
shift
if [ "${TRAINED:-0}" = 1 ]; then
    export VLLM_SERVER_DEV_MODE=1
    set -- --weight-transfer-config '{"backend": "nccl"}' "$@"
fi
exec vllm serve "$model" \
    --served-model-name "${NAME:-$(basename "$model")}" \
    --host "${HOST:-127.0.0.1}" --port "${PORT:-8000}" \
    --max-model-len "${CONTEXT:-16384}" \
    --enable-auto-tool-choice --tool-call-parser "${PARSER:-hermes}" \
    --enable-prefix-caching \
    --logprobs-mode processed_logprobs \
    "$@"
