"""The nodes of one DAG as they come to be: an equal node is there once, so that wishes share it."""

from collections.abc import Container
from dataclasses import dataclass, field

from forge.tasks.dags.play import inputs_of
from forge.types.dag import CallNode, Computation, ComputeNode, Node, Origin
from forge.types.environment import Comparison, Tool


@dataclass(slots=True)
class Nodes:
    made: list[Node] = field(default_factory=list)
    outdated: set[str] = field(default_factory=set)
    """Nodes that show what is no longer so: none is shared from now on."""

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

    def outdate(self, tools: Container[str]) -> None:
        """The calls of these reading tools, and what was made of them, show what is past."""
        for node in self.made:
            if isinstance(node, CallNode):
                if node.tool in tools and not node.writes:
                    self.outdated.add(node.id)
            elif inputs_of(node) & self.outdated:
                self.outdated.add(node.id)

    def new_id(self, word: str) -> str:
        return f"{word}{len(self.made) + 1}"

    def add(self, node: Node) -> str:
        """The id of an equal node that is there, or of this one, added. Each write is its own."""
        for old in self.made:
            own = isinstance(old, CallNode) and old.writes
            if own or old.id in self.outdated:
                continue
            if old.model_copy(update={"id": node.id}) == node:
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
