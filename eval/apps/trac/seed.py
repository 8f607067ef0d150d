"""Makes the environment `tea` with forty tickets, which everybody may administer."""
import os

from trac.env import Environment
from trac.perm import PermissionSystem
from trac.ticket.model import Component, Ticket

env = Environment(os.path.abspath("tea"), True, [("trac", "database", "sqlite:db/trac.db"), ("project", "name", "Tea")])
PermissionSystem(env).grant_permission("anonymous", "TRAC_ADMIN")
for old, name in [("component1", "Kettle"), ("component2", "Garden")]:
    component = Component(env, old)
    component.name = name
    component.update()
for n in range(40):
    ticket = Ticket(env)
    ticket["summary"], ticket["status"], ticket["reporter"] = f"Kettle {n} whistles", "new", "ada"
    ticket["component"], ticket["type"] = ["Kettle", "Garden"][n % 2], "defect"
    ticket["priority"] = ["major", "minor", "critical"][n % 3]
    ticket.insert()
