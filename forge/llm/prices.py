"""What tokens cost at a provider whose prices are known (genai-prices); elsewhere there is none."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tariff:
    """`provider`: an id of genai-prices; None: as the model's name says."""

    model: str
    provider_url: str | None

    def cost(self, prompt: int, completion: int) -> float:
        """USD for so many tokens of one request."""
        from genai_prices import Usage, calc_price

        usage = Usage(input_tokens=prompt, output_tokens=completion)
        price = calc_price(usage, self.model, provider_api_url=self.provider_url)
        return float(price.total_price)

    def of(self, calls: int, prompt: int, completion: int) -> float:
        """USD for so many tokens of so many requests, each as large as the others: prices may go by
        the size of a request."""
        return calls * self.cost(prompt // calls, completion // calls) if calls else 0.0


def tariff_of(model: str, base_url: str | None) -> Tariff | None:
    """None where nobody says what the model costs there: a server of one's own, an unknown model.
    `base_url`: None for OpenAI's own."""
    tariff = Tariff(model, base_url or "https://api.openai.com/v1")
    try:
        tariff.cost(0, 0)
    except LookupError:
        return None
    return tariff
