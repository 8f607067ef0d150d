"""What the shop begins with."""
import datetime

from django.contrib.auth.models import User

from shop.models import Customer, Item, Order, Product, Tag

User.objects.create_superuser("ada", "ada@example.com", "tea4two-please")
names = ["Grace Hopper", "Alan Turing", "Edsger Dijkstra", "Barbara Liskov", "Donald Knuth", "Radia Perlman"]
names += [f"Customer {n}" for n in range(120)]
customers = [Customer.objects.create(name=name, email=f"c{n}@example.com") for n, name in enumerate(names)]
tags = [Tag.objects.create(name=name) for name in ["green", "black", "white", "organic"]]
products = [
    Product.objects.create(name=name, price=price)
    for name, price in [("Kyoto teapot", 48), ("Harbour teapot", 36.5), ("Paper cup", 0.4)]
]
for n, customer in enumerate(customers[:30]):
    order = Order.objects.create(customer=customer, ordered_on=datetime.date(2026, 11, 1 + n % 28))
    Item.objects.create(order=order, product=products[n % 3], count=1 + n % 4)
