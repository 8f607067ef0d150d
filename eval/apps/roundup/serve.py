"""Serves a Roundup tracker under /tea/. Arguments: the folder of the tracker and a port."""

import sys
from wsgiref.simple_server import make_server

from roundup.cgi.wsgi_handler import RequestDispatcher

folder, port = sys.argv[1:]
tracker = RequestDispatcher(folder)


def serve(environ, start_response):
    path = environ["PATH_INFO"].removeprefix("/tea")
    return tracker({**environ, "SCRIPT_NAME": "/tea", "PATH_INFO": path}, start_response)


make_server("127.0.0.1", int(port), serve).serve_forever()
