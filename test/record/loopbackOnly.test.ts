import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { onPath } from "../../src/plugins/sandbox/Tools.ts"
import * as SystemCallAttempts from "../../src/record/network/SystemCallAttempts.ts"
import * as LoopbackOnly from "../../src/record/process/LoopbackOnly.ts"
import { PYTHON } from "../python/interpreter.ts"
import { workplace } from "../workplace.ts"

const place = workplace()

/** A program that asks what answers it, and then tries to get out by each way that Python has. It exits with 5. */
const agent = place.file(
  "agent.py",
  `import json, os, socket, subprocess, sys, urllib.request
answer, elsewhere = sys.argv[1:3]
host, port = "127.0.0.1", int(elsewhere)
def tried(does):
    try:
        does()
        return "out"
    except Exception as error:
        return "closed"
def connected():
    socket.create_connection((host, port), 5).close()
def datagram():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"hello", ("203.0.113.1", 9))
def by_shell():
    subprocess.run(["bash", "-c", f"echo > /dev/tcp/{host}/{port}"], check=True, stderr=subprocess.DEVNULL)
def by_curl():
    subprocess.run(["curl", "-s", f"http://{host}:{port}/"], check=True, stdout=subprocess.DEVNULL)
def entered():
    subprocess.run(["nsenter", "--net=/proc/1/ns/net", "true"], check=True, stderr=subprocess.DEVNULL)
print(json.dumps({
    "answer": urllib.request.urlopen(answer).read().decode(),
    "urllib": tried(lambda: urllib.request.urlopen(f"http://{host}:{port}/")),
    "socket": tried(connected),
    "datagram": tried(datagram),
    "name": tried(lambda: socket.getaddrinfo("model.example", 443)),
    "shell": tried(by_shell),
    "curl": tried(by_curl),
    "entered": tried(entered),
    "user": os.getuid(),
    "directory": os.getcwd(),
    "read": sys.stdin.read(),
    "variable": os.environ.get("GREETING"),
}))
sys.exit(5)
`,
)

let reached = 0
const answering = http.createServer((_, response) => response.end("from the recording"))
const elsewhere = http.createServer((_, response) => {
  reached += 1
  response.end()
})
const portOf = (server: http.Server) => (server.address() as AddressInfo).port

beforeAll(async () => {
  elsewhere.on("connection", () => {
    reached += 1
  })
  for (const server of [answering, elsewhere])
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
})
afterAll(async () => {
  answering.close()
  elsewhere.close()
  await place.remove()
})

/** The interpreter itself, and not a script that looks for it. */
const python = () => execFileSync(PYTHON, ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).trim()

/** A path with these programs alone, as far as the machine has them. */
const onlyWith = (names: ReadonlyArray<string>): string => {
  const directory = place.file("bin")
  fs.mkdirSync(directory)
  for (const name of names) {
    const found = onPath(name)
    if (found !== undefined) fs.symlinkSync(found, `${directory}/${name}`)
  }
  return directory
}

const run = ([command, ...args]: LoopbackOnly.Command, stdin = "") =>
  new Promise<{ readonly code: number | null; readonly signal: string | null; readonly stdout: string }>(
    (resolve, reject) => {
      const child = spawn(command, args, {
        cwd: place.directory,
        env: { ...process.env, GREETING: "hello" },
        stdio: ["pipe", "pipe", "inherit"],
      })
      let stdout = ""
      child.stdout.setEncoding("utf8").on("data", (text) => {
        stdout += text
      })
      child.on("error", reject).on("close", (code, signal) => resolve({ code, signal, stdout }))
      child.stdin.end(stdin)
    },
  )

describe("SystemCallAttempts", () => {
  const read = (...pieces: ReadonlyArray<string>) => {
    const calls = SystemCallAttempts.parsing()
    for (const piece of pieces) calls.take(piece)
    return calls
  }

  it("reads addresses, processes and stacks, in any pieces, and leaves out what stays on the machine", () => {
    const text = `7<curl> connect(3<UNIX-STREAM:[1]>, {sa_family=AF_UNIX, sun_path="/run/nscd"}, 110) = -1 ENOENT (No such file or directory)
 > /usr/lib/libc.so.6(__connect+0x10) [0x10a7c0]
7<curl> connect(5<TCP:[2]>, {sa_family=AF_INET, sin_port=htons(8080), sin_addr=inet_addr("203.0.113.9")}, 16) = -1 ENETUNREACH (Network is unreachable)
 > /usr/lib/x86_64-linux-gnu/libc.so.6(__connect+0x10) [0x10a7c0]
 > /usr/lib/x86_64-linux-gnu/libcurl.so.4.8.0() [0x174f8]
 > /opt/agent(main.fetch+0x12e) [0x1bcc2]
7<curl> +++ exited with 7 +++
8<a> b> connect(5<TCPv6:[3]>, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "2001:db8::1", &sin6_addr), sin6_scope_id=0}, 28 <unfinished ...>
9 sendto(3<UDP:[4]>, ""..., 1, 0, {sa_family=AF_INET, sin_port=htons(9), sin_addr=inet_addr("203.0.113.1")}, 16) = -1 ENETUNREACH (Network is unreachable)
8<a> b> <... connect resumed>) = -1 EADDRNOTAVAIL (Cannot assign requested address)
 > /opt/other(connect_to+0x1) [0x1]
9 sendmmsg(3<UDP:[4]>, [{msg_hdr={msg_name={sa_family=AF_INET6, sin6_port=htons(53), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "::ffff:203.0.113.2", &sin6_addr), sin6_scope_id=0}, msg_namelen=28}}], 1, 0) = -1 ENETUNREACH (Network is unreachable)
9 connect(5<TCP:[5]>, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("127.0.0.1")}, 16) = -1 ECONNREFUSED (Connection refused)
9 connect(5<TCP:[5]>, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("0.0.0.0")}, 16) = 0
9 connect(5<UDP:[6]>, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("203.0.113.9")}, 16) = -1 ENETUNREACH (Network is unreachable)
9 sendto(5<TCP:[5]>, ""..., 4, MSG_NOSIGNAL, NULL, 0) = 4
no line of strace
`
    const expected = [
      {
        means: "connection",
        target: "203.0.113.9:8080",
        at: "main.fetch (/opt/agent)",
        stack: [
          "    at curl (process 7)",
          "    at __connect (/usr/lib/x86_64-linux-gnu/libc.so.6)",
          "    at /usr/lib/x86_64-linux-gnu/libcurl.so.4.8.0",
          "    at main.fetch (/opt/agent)",
        ].join("\n"),
      },
      {
        means: "connection",
        target: "[2001:db8::1]:443",
        at: "connect_to (/opt/other)",
        stack: "    at a> b (process 8)\n    at connect_to (/opt/other)",
      },
      { means: "datagram", target: "203.0.113.1:9", at: "process 9", stack: "    at process 9" },
      { means: "datagram", target: "203.0.113.2:53", at: "process 9", stack: "    at process 9" },
    ]
    expect(read(text).attempts()).toEqual(expected)
    expect(read(...text).attempts()).toEqual(expected)
    expect([7, 8].map(read(text).hasEnded)).toEqual([true, false])
  })

  it("keeps a bounded number of attempts of a program that tries without end, and forgets endless lines", () => {
    const one = `1 connect(5<TCP:[2]>, {sa_family=AF_INET, sin_port=htons(1), sin_addr=inet_addr("203.0.113.9")}, 16) = -1 ENETUNREACH (Network is unreachable)\n`
    expect(read(one.repeat(5_000)).attempts()).toHaveLength(1_000)
    const endless = Array.from({ length: 100 }, () => "x".repeat(100_000))
    expect(read(...endless, "\n", one).attempts()).toHaveLength(1)
  })
})

describe("LoopbackOnly", () => {
  const PATHS = { bubblewrap: [], unshare: ["unshare", "setpriv", "ip"] } as const

  it.each(["bubblewrap", "unshare"] as const)(
    "runs a program of Python by %s that reaches what answers it and nothing else, or says that it cannot",
    async (layer) => {
      reached = 0
      const url = `http://localhost:${portOf(answering)}/`
      const program = [python(), agent, url, String(portOf(elsewhere))] as const
      const allowed = [{ host: "127.0.0.1", port: portOf(answering) }]
      const path = process.env.PATH
      if (layer === "unshare") process.env.PATH = onlyWith(PATHS[layer])
      const confined = await LoopbackOnly.confine([...program], allowed).finally(() => {
        process.env.PATH = path
      })
      if (confined.open !== null) {
        // Where the machine forbids namespaces: the program is run as it is, and a person is told.
        expect(confined).toMatchObject({
          command: program,
          open: expect.stringMatching(/./),
        })
        return
      }
      const ended = await run(confined.command, "typed")
      await confined.close()
      expect(JSON.parse(ended.stdout)).toEqual({
        answer: "from the recording",
        urllib: "closed",
        socket: "closed",
        datagram: "closed",
        name: "closed",
        shell: "closed",
        curl: "closed",
        entered: "closed",
        user: process.getuid?.(),
        directory: place.directory,
        read: "typed",
        variable: "hello",
      })
      expect(ended.code).toBe(5)
      expect(reached).toBe(0)
    },
  )

  it("lets this machine reach a server of the program, and says how the program ended by itself", async () => {
    const server = place.file(
      "server.py",
      `import http.server, os, signal, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"from inside")
with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
    print(server.server_port, flush=True)
    server.handle_request()
os.kill(os.getpid(), signal.SIGTERM)
`,
    )
    const confined = await LoopbackOnly.confine([python(), server], [])
    if (confined.open !== null) return
    const [command, ...args] = confined.command
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] })
    const ended = new Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>((resolve) =>
      child.on("close", (code, signal) => resolve({ code, signal })),
    )
    const [port] = await once(child.stdout, "data")
    // The relay looks for new servers now and then.
    const answer = await expect.poll(
      () =>
        fetch(`http://127.0.0.1:${Number(port)}/`).then(
          (one) => one.text(),
          () => "",
        ),
      { timeout: 10_000 },
    )
    await answer.toBe("from inside")
    expect(await confined.ended(await ended)).toEqual({ code: null, signal: "SIGTERM" })
    await expect(fetch(`http://127.0.0.1:${Number(port)}/`)).rejects.toThrow()
    expect(confined.unreachable()).toEqual([])
    await confined.close()
  })

  it("names what a program in any language looks up, and counts its attempts at addresses, or says that it has no names", async () => {
    const seeking = place.file(
      "seeking.cjs",
      `const dgram = require("node:dgram"), dns = require("node:dns"), net = require("node:net"), os = require("node:os")
const looked = (name) => new Promise((resolve) => dns.lookup(name, (error) => resolve(error?.code)))
const connected = (host) => new Promise((resolve) => net.connect(80, host).on("error", ({ code }) => resolve(code)).on("connect", resolve))
const sent = (query) => new Promise((resolve) => {
  const socket = dgram.createSocket("udp4")
  socket.send(query, 53, "127.0.0.1", () => { socket.close(); resolve() })
})
const query = (...labels) => Buffer.concat([Buffer.from([0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]), ...labels.flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, "latin1")]), Buffer.from([0, 0, 1, 0, 1])])
;(async () => {
  const codes = [await looked("Telemetry.Example"), await looked("telemetry.example"), await looked("localhost"), await connected("203.0.113.9")]
  await looked(os.hostname())
  await sent(Buffer.alloc(3))
  await sent(Buffer.from([...query("x").subarray(0, 12), 200, 1, 2]))
  await sent(query("x").subarray(0, 14))
  await sent(query("\u001b[31m\u202e".slice(0, 5), "__proto__"))
  for (let at = 0; at < 1500; at++) await sent(query("n" + at))
  await looked("last.example")
  console.log(JSON.stringify(codes))
})()`,
    )
    const confined = await LoopbackOnly.confine([process.execPath, seeking], [])
    if (confined.open !== null) return
    const { code, signal, stdout } = await run(confined.command)
    expect(await confined.ended({ code, signal: null })).toEqual({ code: 0, signal: null })
    expect(signal).toBeNull()
    const { names, refused, hasNames, calls } = await confined.sought()
    await confined.close()
    expect(JSON.parse(stdout)).toEqual(["EAI_AGAIN", "EAI_AGAIN", null, "ENETUNREACH"])
    // Where strace may be used, the address has a name and a place, too.
    if (calls !== undefined && hasNames) {
      expect(calls.map(({ means, target }) => `${means} ${target}`)).toEqual(["connection 203.0.113.9:80"])
      expect(calls[0]?.at).toMatch(/node|process \d+/)
      expect(calls[0]?.stack).toMatch(/^ {4}at .*\(process \d+\)/)
    }
    if (!hasNames) {
      expect(names).toEqual([])
      expect(refused).toBeGreaterThan(0)
      return
    }
    expect(names.slice(0, 3)).toEqual(["telemetry.example", "??31m.__proto__", "n0"])
    expect(names.length).toBeLessThanOrEqual(1_000)
    expect(names.filter((name) => !/^[a-z0-9._?-]+$/.test(name))).toEqual([])
    expect(refused).toBe(1)
  })

  it("runs the program as it is, and says why, where another host is allowed or there is no such program", async () => {
    const host = await LoopbackOnly.confine(["python3", agent], [{ host: "db.example", port: 5432 }])
    expect(host).toMatchObject({
      command: ["python3", agent],
      open: expect.stringContaining("it may reach db.example:5432, and only loopback ports can be forwarded"),
    })
    const missing = await LoopbackOnly.confine(["no-such-program"], [])
    expect(missing.command).toEqual(["no-such-program"])
    expect(missing.open).not.toBeNull()
  })
})
