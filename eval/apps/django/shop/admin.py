from django.contrib import admin

from .models import Customer, Item, Order, Product, Tag


@admin.register(Customer)
class CustomerAdmin(admin.ModelAdmin):
    list_display = ["name", "email", "newsletter"]
    list_filter = ["newsletter"]
    search_fields = ["name", "email"]


@admin.register(Product)
class ProductAdmin(admin.ModelAdmin):
    list_display = ["name", "price"]
    list_editable = ["price"]
    filter_horizontal = ["tags"]


class ItemInline(admin.TabularInline):
    model = Item
    extra = 1


@admin.register(Order)
class OrderAdmin(admin.ModelAdmin):
    list_display = ["id", "customer", "status", "ordered_on"]
    list_filter = ["status"]
    inlines = [ItemInline]
    actions = ["mark_shipped"]

    @admin.action(description="Mark as shipped")
    def mark_shipped(self, request, queryset):
        count = queryset.update(status="shipped")
        self.message_user(request, f"{count} orders were marked as shipped.")


admin.site.register(Tag)
