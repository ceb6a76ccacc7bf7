"""The nodes of one DAG as they come to be: an equal node is there once, so that wishes share it."""

from dataclasses import dataclass, field

from forge.types.dag import CallNode, Computation, ComputeNode, Node, Origin
from forge.types.environment import Comparison, Tool


@dataclass(slots=True)
class Nodes:
    made: list[Node] = field(default_factory=list)

    def count(self) -> int:
        return len(self.made)

    def forget(self, count: int) -> None:
        """Takes away all but the first `count`: a way that led nowhere."""
        del self.made[count:]

    def refuse(self, id: str) -> None:
        """Marks a call as one that is to be refused."""
        self.made = [
            n.model_copy(update={"refused": True}) if n.id == id and isinstance(n, CallNode) else n
            for n in self.made
        ]

    def new_id(self, word: str) -> str:
        return f"{word}{len(self.made) + 1}"

    def add(self, node: Node) -> str:
        """The id of an equal node that is there, or of this one, added. Each write is its own."""
        for old in self.made:
            if old.model_copy(update={"id": node.id}) == node and not (
                isinstance(old, CallNode) and old.writes
            ):
                return old.id
        self.made.append(node)
        return node.id

    def call(
        self,
        tool: Tool,
        arguments: dict[str, Origin],
        each: str | None = None,
        *,
        when: str | None = None,
        refused: bool = False,
    ) -> str:
        return self.add(
            CallNode(
                id=self.new_id("call"),
                tool=tool.name,
                arguments=arguments,
                writes=tool.kind == "write",
                each=each,
                when=when,
                refused=refused,
            )
        )

    def compute(
        self,
        form: Computation,
        one: Origin,
        other: Origin,
        *,
        op: Comparison = "eq",
        each: str | None = None,
    ) -> str:
        """The node that computes this from two values."""
        new = self.new_id("compute")
        return self.add(ComputeNode(id=new, form=form, values=(one, other), op=op, each=each))
