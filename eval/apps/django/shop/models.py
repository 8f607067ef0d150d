from django.db import models


class Customer(models.Model):
    name = models.CharField(max_length=80)
    email = models.EmailField(unique=True)
    notes = models.TextField(blank=True)
    newsletter = models.BooleanField(default=False)

    def __str__(self):
        return self.name


class Tag(models.Model):
    name = models.CharField(max_length=40)

    def __str__(self):
        return self.name


class Product(models.Model):
    name = models.CharField(max_length=80)
    price = models.DecimalField(max_digits=8, decimal_places=2)
    tags = models.ManyToManyField(Tag, blank=True)

    def __str__(self):
        return self.name


class Order(models.Model):
    STATUSES = [("new", "New"), ("shipped", "Shipped"), ("cancelled", "Cancelled")]
    customer = models.ForeignKey(Customer, on_delete=models.CASCADE)
    status = models.CharField(max_length=10, choices=STATUSES, default="new")
    ordered_on = models.DateField()

    def __str__(self):
        return f"Order {self.pk}"


class Item(models.Model):
    order = models.ForeignKey(Order, on_delete=models.CASCADE)
    product = models.ForeignKey(Product, on_delete=models.CASCADE)
    count = models.PositiveIntegerField(default=1)
