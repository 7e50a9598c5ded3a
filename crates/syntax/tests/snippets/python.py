#!/usr/bin/env python
# Copyright someone.
"""File doc."""
from __future__ import annotations
import os.path, sys as system
from . import sibling
from ..pkg.mod import name as alias, other
from x import *

LIMIT: int = 3
app = Flask(__name__)
first, second = 1, 2
type Alias = dict[str, Server]


@decorators.register("x", key=make())
class Server(Base, mod.Mixin[Generic], metaclass=Meta):
    """Doc of Server.

    More.
    """

    attr: Client = None
    CONST = 1

    def __init__(self, a: Request | None, *rest: "Quoted") -> None:
        super().__init__()
        self.client = Client(a)

    @property
    def name(self) -> Optional[List[Name]]:
        '''One line.'''
        return self.client.get(self.a, key=lambda x: x.y()).json()

    class Inner:
        pass

    async def run(self):
        try:
            await helper()
        except (errors.Bad, Worse) as e:
            raise Failure(e)


def outer(x):
    # Not a docstring.
    local = 1

    def inner():
        return x

    return inner


if True:
    def conditional():
        pass
