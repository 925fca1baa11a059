"""The ways in which what a run needs is broken, or its tests are flaky."""

from __future__ import annotations

from examples.failures.surroundings import Around, Way

NATIVE = "import os\nos.abort()\n"
_ANYWHERE = ("test", "code", "fixture", "module")
WAYS = (
    Way(
        "missing dependency",
        ("import simplejson", "from simplejson import loads", "import simplejson.errors as errors"),
        lambda around: around.remove("site-packages/simplejson"),
        _ANYWHERE,
    ),
    Way(
        "wrong version of a dependency",
        (
            "import simplejson\nsimplejson.loads('{}', strict_keys=True)",
            "from simplejson import rows",
            "import simplejson\nsimplejson.rows()",
        ),
        lambda around: around.write("site-packages/simplejson/__init__.py", "def loads(text):\n    return {}\n"),
        _ANYWHERE,
    ),
    Way(
        "missing variable",
        (
            "import os\nos.environ['STORE_REGION']",
            "import os\nif not os.getenv('STORE_REGION'): raise RuntimeError('STORE_REGION is not set')",
            "import os\nint(os.environ.get('STORE_REGION'))",
        ),
        lambda around: around.set(STORE_REGION=""),
    ),
    Way(
        "port in use",
        (
            "import os, socket\nsocket.create_server(('127.0.0.1', int(os.environ['STORE_PORT']))).close()",
            "import http.server, os\nhttp.server.HTTPServer(('127.0.0.1', int(os.environ['STORE_PORT'])), None).server_close()",
            "import os, socket\ntry: socket.create_server(('127.0.0.1', int(os.environ['STORE_PORT']))).close()\n"
            "except OSError as error: raise SystemExit(f'cannot listen: {error}')",
        ),
        Around.hold_port,
    ),
    Way(
        "file too large",
        ("import os\nwith open(os.environ['STORE_FILE'], 'wb') as rows: rows.write(bytes(1 << 23))",),
        lambda around: around.limit("ulimit -f 4096; "),
    ),
    Way(
        "disk full",
        ("import os\nwith open(os.environ['STORE_FILE'], 'w') as rows: rows.write('0,1\\n')",),
        lambda around: around.set(STORE_FILE="/dev/full"),
    ),
    Way(
        "read-only folder",
        (
            "import os\nwith open(os.environ['STORE_FILE'], 'w') as rows: rows.write('0,1\\n')",
            "import os, pathlib\npathlib.Path(os.environ['STORE_CACHE'], 'new').mkdir(exist_ok=True)",
        ),
        Around.make_read_only,
    ),
    Way(
        "permission denied",
        (
            "import os, subprocess\nsubprocess.run([os.environ['STORE_CACHE'] + '/../bin/rowcount'], check=True)",
            "import subprocess\nsubprocess.run('rowcount', shell=True, check=True)",
        ),
        lambda around: (around.folder / "bin" / "rowcount").chmod(0o644),
    ),
    Way(
        "ascii codec",
        (
            "import os\nopen(os.path.join(os.environ['STORE_CACHE'], 'umlauts.txt')).read()",
            "import os\nopen(os.environ['STORE_FILE'], 'w').write('K\\u00e4se')",
            "import os\nos.path.exists('/K\\u00e4se')",
        ),
        lambda around: around.set(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0"),
    ),
    Way(
        "missing locale",
        ("import locale\nlocale.setlocale(locale.LC_ALL, '')",),
        lambda around: around.set(LC_ALL="de_XX.UTF-8"),
    ),
    Way(
        "missing program",
        (
            "import subprocess\nsubprocess.run(['rowcount'], check=True)",
            "import subprocess\nsubprocess.run('rowcount --all', shell=True, check=True)",
            "import os\nif os.system('rowcount'): raise RuntimeError('rowcount failed')",
        ),
        lambda around: around.remove("bin/rowcount"),
    ),
    Way(
        "no repository",
        (
            "import subprocess\nsubprocess.run(['git', 'rev-parse', 'HEAD'], check=True)",
            "import subprocess\nsubprocess.check_output(['git', 'log', '-1'])",
        ),
        lambda around: around.set(GIT_DIR="/nowhere"),
    ),
    Way(
        "missing data file",
        (
            "import os, json\njson.load(open(os.path.join(os.environ['STORE_CACHE'], 'rows.json')))",
            "import os\nos.stat(os.environ['STORE_CACHE'] + '/rows.json')",
        ),
        lambda around: around.remove("cache/rows.json"),
    ),
    Way("wrong path of Python", (), lambda around: around.set(PYTHONPATH=str(around.folder / "site-packages")), ()),
    Way(
        "other time zone",
        (
            "import time\nassert time.localtime(0).tm_hour == 0",
            "import datetime\nassert str(datetime.datetime.fromtimestamp(0)) == '1970-01-01 00:00:00'",
        ),
        lambda around: around.set(TZ="Asia/Tokyo"),
        ("test", "fixture"),
    ),
    Way(
        "no network",
        ("import os, urllib.request\nurllib.request.urlopen(os.environ['STORE_URL'], timeout=5).read()",),
        lambda around: around.set(STORE_URL="http://rows.invalid/rows.json"),
    ),
    Way(
        "service not running",
        ("import os, urllib.request\nurllib.request.urlopen(os.environ['STORE_URL'], timeout=5).read()",),
        lambda around: around.set(STORE_URL=f"http://127.0.0.1:{around.env['STORE_PORT']}/rows.json"),
    ),
    Way("broken conftest", ("import simplejson",), lambda around: around.remove("site-packages/simplejson"), ("conftest",)),
    Way(
        "missing plugin",
        ("pytest_plugins = ['pytest_store']",),
        Around.lose_plugin,
        ("conftest",),
    ),
    Way("option of a missing plugin", (), lambda around: around.set(PYTEST_PLUGINS="", PYTEST_ADDOPTS="--quiet-store"), ()),
    Way("missing fixture of a plugin", ("clean_store",), lambda around: around.set(PYTEST_PLUGINS=""), ("needed",)),
    Way(
        "no more files",
        ("import os\nkept = [open(os.devnull) for _ in range(200)]",),
        lambda around: around.limit("ulimit -n 100; "),
    ),
    Way("no more memory", ("bytes(1 << 31)",), lambda around: around.limit("ulimit -v 1500000; ")),
    Way(
        "aborted by a library",
        ("import simplejson",),
        lambda around: around.write("site-packages/simplejson/__init__.py", NATIVE),
    ),
    Way(
        "temporary folder gone",
        (
            "import os\nopen(os.environ['STORE_FILE'], 'w').close()",
            "import os, tempfile\ntempfile.mkdtemp(dir=os.environ['STORE_CACHE'])",
        ),
        lambda around: around.remove("cache"),
    ),
    Way(
        "slow machine",
        ("import subprocess\nsubprocess.run(['rowcount'], check=True, timeout=2)",),
        lambda around: around.write("bin/rowcount", "#!/bin/sh\nexec sleep 30\n"),
        ("test",),
    ),
)
FLAKY = (
    Way("order: left behind", (), lambda around: None, ("left",), is_flaky=True, fails_at_once=True),
    Way("order: needed", (), lambda around: around.set(STORE_REVERSED="1"), ("needs",), is_flaky=True),
    Way(
        "chance",
        (
            "import random\nassert random.random() < 0.5",
            "import random\nif random.random() < 0.5: raise ValueError('no row is free')",
        ),
        lambda around: None,
        is_flaky=True,
    ),
    Way(
        "order of a set",
        (
            "assert next(iter({'red', 'green', 'blue'})) == 'red'",
            "if ''.join({'red', 'blue'}) != 'redblue': raise ValueError('wrong order of rows')",
        ),
        lambda around: None,
        is_flaky=True,
    ),
    Way("time", ("import time\nassert time.time_ns() // 1000 % 2",), lambda around: None, is_flaky=True),
    Way(
        "expired",
        (
            "import datetime\nassert datetime.datetime.now().isoformat() < 'SOON'",
            "import datetime\nif datetime.datetime.now().isoformat() > 'SOON': raise ValueError('the offer of SOON is over')",
        ),
        Around.wait,
        is_flaky=True,
    ),
)
