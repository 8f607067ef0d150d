"""Flask-Admin over a small library: lists with filters, forms in windows, fields that are edited in place."""
import os
import sys
from datetime import date

from flask import Flask, flash, redirect, request
from flask_admin import Admin, BaseView, expose
from flask_admin.actions import action
from flask_admin.contrib.fileadmin import FileAdmin
from flask_admin.contrib.sqla import ModelView
from flask_sqlalchemy import SQLAlchemy
from wtforms import ValidationError

app = Flask(__name__)
app.config["SECRET_KEY"] = "only for this run"
app.config["SQLALCHEMY_DATABASE_URI"] = "sqlite:///" + os.path.abspath("library.sqlite3")
db = SQLAlchemy(app)


class Author(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    name = db.Column(db.String(80), nullable=False, unique=True)
    email = db.Column(db.String(80))
    active = db.Column(db.Boolean, default=True)

    def __str__(self):
        return self.name


class Book(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    title = db.Column(db.String(120), nullable=False)
    genre = db.Column(db.Enum("poetry", "novel", "science", name="genre"))
    published = db.Column(db.Date)
    copies = db.Column(db.Integer, default=1)
    author_id = db.Column(db.Integer, db.ForeignKey("author.id"))
    author = db.relationship(Author, backref="books")

    def __str__(self):
        return self.title


class AuthorView(ModelView):
    column_searchable_list = ["name", "email"]
    column_filters = ["active"]
    create_modal = edit_modal = True
    can_export = True
    form_columns = ["name", "email", "active"]


def not_negative(form, field):
    if field.data is not None and field.data < 0:
        raise ValidationError("There cannot be fewer than 0 copies.")


class BookView(ModelView):
    column_list = ["title", "author", "genre", "published", "copies"]
    column_searchable_list = ["title"]
    column_editable_list = ["copies"]
    column_filters = ["genre", "copies"]
    can_view_details = True
    form_args = {"copies": {"validators": [not_negative]}}

    @action("lend", "Lend", "Lend the chosen books?")
    def lend(self, ids):
        books = Book.query.filter(Book.id.in_(ids)).all()
        for book in books:
            book.copies = max(0, book.copies - 1)
        db.session.commit()
        flash(f"{len(books)} books were lent.", "success")


def seed():
    db.create_all()
    names = ["Ada Lovelace", "Emily Dickinson", "Lu Yu", "Murasaki Shikibu", "Jorge Luis Borges"]
    authors = [Author(name=name, email=f"a{n}@example.com", active=n != 2) for n, name in enumerate(names)]
    db.session.add_all(authors)
    for n in range(60):
        genre = ["poetry", "novel", "science"][n % 3]
        db.session.add(Book(title=f"Book {n}", genre=genre, published=date(1900 + n, 1, 2), copies=n % 7, author=authors[n % 5]))
    db.session.commit()


if __name__ == "__main__":
    os.makedirs("files", exist_ok=True)
    with open("files/readme.txt", "w") as file:
        file.write("Leaves and water.")
    with app.app_context():
        seed()
    admin = Admin(app, name="Library")
    admin.add_view(AuthorView(Author, db, name="Authors"))
    admin.add_view(BookView(Book, db, name="Books"))
    admin.add_view(FileAdmin(os.path.abspath("files"), name="Files"))
    app.run(host="127.0.0.1", port=int(sys.argv[1]))
