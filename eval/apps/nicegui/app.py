"""Orders of a tea shop in NiceGUI. Arguments: a port. Orders are lines of orders.txt."""

import sys
from pathlib import Path

from nicegui import ui

ORDERS = Path("orders.txt")


@ui.page("/")
def shop():
    ui.label("Tea shop").classes("text-h4")
    name = ui.input("Name", validation={"At least three letters": lambda value: len(value) >= 3})
    grams = ui.number("Grams", value=50, min=1, max=500)
    tea = ui.select(["Sencha", "Assam", "Oolong"], label="Tea", value="Sencha")
    express = ui.switch("Express")

    async def order():
        if not name.validate():
            ui.notify("The order has errors", type="negative")
            return
        if grams.value > 200:
            with ui.dialog() as sure, ui.card():
                ui.label("More than 200 g: are you sure?")
                ui.button("Order", on_click=lambda: sure.submit(True))
                ui.button("Back", on_click=lambda: sure.submit(False))
            if not await sure:
                ui.notify("Nothing was ordered", type="warning")
                return
        with ORDERS.open("a") as orders:
            orders.write(f"{name.value},{tea.value},{int(grams.value)},{express.value}\n")
        ui.notify(f"{tea.value} was ordered for {name.value}", type="positive")

    ui.button("Send order", on_click=order)

    def clear():
        ORDERS.unlink(missing_ok=True)
        ui.notify("All orders were removed", type="info", position="top-right", close_button="OK")

    ui.button("Remove all orders", on_click=clear)


ui.run(host="127.0.0.1", port=int(sys.argv[1]), title="Tea shop", reload=False, show=False)
