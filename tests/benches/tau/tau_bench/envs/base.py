"""A small environment with the interface of a benchmark's, for tests."""

from hashlib import sha256

from tau_bench.envs.user import load_user
from tau_bench.types import RESPOND_ACTION_NAME, Info, Judged, Response, Reward


def to_hashable(item):
    if isinstance(item, dict):
        return tuple((name, to_hashable(item[name])) for name in sorted(item))
    if isinstance(item, list):
        return tuple(to_hashable(each) for each in item)
    return item


class Env:
    def __init__(self, load, tools, tasks, wiki, index, **user):
        self.load, self.tasks, self.wiki = load, tasks, wiki
        self.tools_map = {tool.get_info()["function"]["name"]: tool for tool in tools}
        self.tools_info = [tool.get_info() for tool in tools]
        self.terminate_tools = []
        self.user = load_user(model=user["user_model"], provider=user["user_provider"])
        self.task, self.data, self.said = tasks[index], load(), []

    def reset(self, index):
        self.task, self.data, self.said = self.tasks[index], self.load(), []
        return Response(observation=self.user.reset(instruction=self.task.instruction))

    def step(self, action):
        if action.name == RESPOND_ACTION_NAME:
            self.said.append(action.kwargs["content"])
            text = self.user.step(action.kwargs["content"])
            done = "###STOP###" in text
        else:
            text, done = self._call(action), action.name in self.terminate_tools
        if not done:
            return Response(observation=text)
        judged = self._judge()
        info = Info(reward_info=judged)
        return Response(observation=text, reward=judged.reward, done=True, info=info)

    def hash(self):
        return sha256(str(to_hashable(self.data)).encode()).hexdigest()

    def _call(self, action):
        if action.name not in self.tools_map:
            return f"Unknown action {action.name}"
        try:
            return self.tools_map[action.name].invoke(self.data, **action.kwargs)
        except Exception as error:
            return f"Error: {error}"

    def _judge(self):
        mine = self.hash()
        self.data = self.load()
        for action in self.task.actions:
            self._call(action)
        outputs = {each: any(each in said for said in self.said) for each in self.task.outputs}
        return Reward(
            reward=float(mine == self.hash() and all(outputs.values())),
            info=Judged(outputs=outputs),
        )
