/**
 * Lets programs in Python report their attempts to reach a network that a replay closed, with their stacks: by an audit
 * hook (PEP 578), which Python loads from `sitecustomize`. The hook changes nothing else.
 */

import * as fs from "node:fs"
import * as path from "node:path"

/** The file to which the hook appends one `NetworkAttempt` a line. */
const VARIABLE = "HINDCAST_NETWORK_ATTEMPTS"

/**
 * Writes the hook to a directory. Returns the variables with which Python loads it.
 *
 * @param environment the program's environment, whose own `PYTHONPATH` still counts
 */
export const install = (
  directory: string,
  attempts: string,
  environment: { readonly [name: string]: string | undefined },
): { readonly [name: string]: string } => {
  const place = path.join(directory, "python")
  fs.mkdirSync(place)
  fs.writeFileSync(path.join(place, "sitecustomize.py"), HOOK)
  const { PYTHONPATH } = environment
  return {
    PYTHONPATH: PYTHONPATH === undefined || PYTHONPATH === "" ? place : `${place}${path.delimiter}${PYTHONPATH}`,
    [VARIABLE]: attempts,
  }
}

/**
 * For a namespace with only a loopback, which refuses the reported connections. A connection to the loopback counts if
 * no server listens on its port.
 */
const HOOK = `"""Reports attempts of a replayed program to reach the network."""


def _begin():
    import json
    import os
    import sys
    from importlib import machinery, util

    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [one for one in sys.path if os.path.abspath(one or ".") != here]
    file = os.environ.get("${VARIABLE}")
    library = os.path.dirname(os.__file__)

    def report(means, target):
        frame, found = sys._getframe(1), []
        while frame is not None and len(found) < 100:
            if frame.f_code.co_filename != __file__:
                found.append((frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
            frame = frame.f_back
        stack = ["%s (%s:%d)" % (name, path, line) for path, line, name in found]
        own = [
            text
            for text, (path, _, _) in zip(stack, found)
            if not path.startswith(("<", library)) and "site-packages" not in path
        ]
        attempt = {"means": means, "target": target, "at": own[0] if own else None}
        attempt["stack"] = "\\n".join("    at " + text for text in stack)
        handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(handle, (json.dumps(attempt) + "\\n").encode())
        os.close(handle)

    def written(host, port):
        return ("[%s]:%s" if ":" in host else "%s:%s") % (host, port)

    def text(host):
        return host.decode("ascii", "replace") if isinstance(host, (bytes, bytearray)) else str(host or "")

    def is_loopback(host):
        host = host.lower()
        return host in ("", "localhost", "::1", "::", "0.0.0.0") or host.startswith(("127.", "::ffff:127."))

    def is_known_here(host):
        if is_loopback(host) or ":" in host or not host.strip("0123456789."):
            return True
        host = host.lower().rstrip(".")
        if host.endswith(".localhost") or host == os.uname().nodename.lower():
            return True
        with open("/etc/hosts") as hosts:
            return any(host in line.split("#")[0].lower().split()[1:] for line in hosts)

    def listens(port):
        for table in ("/proc/self/net/tcp", "/proc/self/net/tcp6"):
            if os.path.exists(table):
                with open(table) as lines:
                    for line in lines:
                        fields = line.split()
                        if len(fields) > 3 and fields[3] == "0A" and fields[1].endswith(":%04X" % port):
                            return True
        return False

    def look(event, args):
        if event == "socket.connect":
            socket, address = args
            # A datagram socket sends nothing when it connects.
            if isinstance(address, tuple) and len(address) > 1 and socket.type & 15 == 1:
                host, port = text(address[0]), address[1]
                if not is_loopback(host) or not listens(port):
                    report("connection", written(host, port))
        elif event in ("socket.sendto", "socket.sendmsg"):
            address = args[1]
            if isinstance(address, tuple) and len(address) > 1 and not is_loopback(text(address[0])):
                report("datagram", written(text(address[0]), address[1]))
        elif event == "socket.getaddrinfo":
            host, port = text(args[0]), text(args[1])
            if not is_known_here(host):
                if port in ("", "0"):
                    report("name lookup", host)
                else:
                    report("connection", written(host, port))
        elif event == "socket.gethostbyname" and not is_known_here(text(args[0])):
            report("name lookup", text(args[0]))

    def hook(event, args):
        if event.startswith("socket."):
            try:
                look(event, args)
            except Exception:
                # The program goes on as it would without the hook.
                pass

    if file and hasattr(sys, "addaudithook"):
        sys.addaudithook(hook)

    # The program may have a module of this name, too.
    other = machinery.PathFinder.find_spec("sitecustomize")
    if other is not None and other.loader is not None:
        sys.modules["sitecustomize"] = module = util.module_from_spec(other)
        other.loader.exec_module(module)


_begin()
`
