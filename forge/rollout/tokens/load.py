"""Models and tokenizers from disk: a Hugging Face folder, or a GGUF file.

Nothing is fetched from anywhere.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from forge.errors import UserError, lacks_package
from forge.rollout.tokens.template import Template

if TYPE_CHECKING:
    from transformers import GenerationConfig, PreTrainedModel

SAME = 0.25
"""How far apart two matrices may be, of their mean weight, that are one but for rounding."""
TRAIN = "pip install 'forge-envs[train]'"


def load_template(path: Path) -> Template:
    """Of the model at `path`. UserError if there is none, or it has no chat template."""
    place = place_of(path)
    try:
        from transformers import AutoTokenizer, logging

        logging.set_verbosity_error()
        tokenizer = AutoTokenizer.from_pretrained(**place)
    except ImportError as error:
        raise lacks_package("a tokenizer", error, TRAIN) from None
    except (OSError, ValueError, KeyError) as error:
        raise UserError(f"there is no tokenizer: {first_line(error)}", where=str(path)) from None
    return Template(tokenizer, path.stem if path.is_file() else path.name, ends_of(path))


def place_of(path: Path) -> dict[str, Any]:
    """As `from_pretrained` takes it. UserError if there is neither a folder nor a GGUF file."""
    if path.is_dir():
        return {"pretrained_model_name_or_path": str(path), "local_files_only": True}
    if path.is_file() and path.suffix == ".gguf":
        return {
            "pretrained_model_name_or_path": str(path.parent),
            "gguf_file": path.name,
            "local_files_only": True,
        }
    what = "is no .gguf file" if path.exists() else "is not there"
    raise UserError(f"the model {what}", where=str(path), mend="a folder, or a .gguf file")


def load_model(path: Path, *, spread: bool = False) -> "PreTrainedModel":
    """The model at `path`, on the GPU where there is one; `spread`: where what trains it is to
    spread it over several. UserError if it cannot be loaded."""
    place = place_of(path)
    try:
        import torch
        from transformers import AutoModelForCausalLM, GgufConfig, logging
    except ImportError as error:
        raise lacks_package("a local model", error, TRAIN) from None
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    device = None if spread else "cuda" if torch.cuda.is_available() else "cpu"
    gguf = "gguf_file" in place
    how = {"quantization_config": GgufConfig(dequantize=True), "dtype": torch.bfloat16}
    try:
        model = AutoModelForCausalLM.from_pretrained(
            **place, **(how if gguf else {"dtype": "auto"}), device_map=device
        )
    except ImportError as error:
        raise UserError(first_line(error), where=str(path), mend=TRAIN) from None
    except (OSError, ValueError, KeyError) as error:
        raise UserError(f"there is no model: {first_line(error)}", where=str(path)) from None
    if gguf:
        _tie(model)
    return model.eval()


def _tie(model: "PreTrainedModel") -> None:
    """One matrix for what goes in and what comes out, where the file has the same one twice, more
    and less exactly; such models were trained so, and are to be trained so."""
    import torch

    ins, outs = model.get_input_embeddings().weight, model.get_output_embeddings().weight
    if ins is outs or ins.shape != outs.shape:
        return
    with torch.no_grad():
        if (ins - outs).abs().mean() < SAME * outs.abs().mean():
            ins.copy_(outs)
            model.config.get_text_config().tie_word_embeddings = True
            model.tie_weights()


def context_of(model: "PreTrainedModel") -> int:
    """How many ids a conversation may have."""
    return int(model.config.get_text_config().max_position_embeddings)


def generation_of(path: Path) -> "GenerationConfig | None":
    """How the model is meant to be sampled from; None where it does not say."""
    from transformers import GenerationConfig

    if not (path / "generation_config.json").is_file():
        return None
    return GenerationConfig.from_pretrained(str(path), local_files_only=True)


def ends_of(path: Path) -> tuple[int, ...]:
    """The ids that end what it writes, as far as its generation config says."""
    config = generation_of(path)
    ends = None if config is None else config.eos_token_id
    if ends is None:
        return ()
    return (ends,) if isinstance(ends, int) else tuple(ends)


def first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
