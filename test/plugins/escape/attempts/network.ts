import type { Attempts } from "./Attempt.ts"

const local = `http://127.0.0.1:\${at.tcp}/`

export const network: Attempts = {
  fetch: `return await (await fetch(\`${local}\`)).text()`,
  "fetch of another loopback name": `return await (await fetch("http://localhost:" + at.tcp)).text()`,
  "fetch of an address in hexadecimal": `return await (await fetch("http://0x7f000001:" + at.tcp)).text()`,
  "fetch over IPv6": { tame: `return await (await fetch("http://[::1]:" + at.tcp)).text()` },
  "fetch through a proxy": `const client = Deno.createHttpClient({ proxy: { url: \`${local}\` } })
    return await (await fetch("http://example.org/", { client })).text()`,
  "fetch over a Unix socket": `const client = Deno.createHttpClient({ proxy: { transport: "unix", path: at.unix } })
    return await (await fetch("http://example.org/", { client })).text()`,
  "fetch of an address of another machine": {
    tame: `return await (await fetch("http://192.0.2.1/", { signal: AbortSignal.timeout(300) })).text()`,
  },
  "Deno.connect": `await (await Deno.connect({ hostname: "127.0.0.1", port: at.tcp })).write(new Uint8Array(3)); return at.escaped`,
  "Deno.connect to a Unix socket": `await Deno.connect({ transport: "unix", path: at.unix }); return at.escaped`,
  "Deno.connectTls": { tame: `await Deno.connectTls({ hostname: "127.0.0.1", port: at.tcp }); return at.escaped` },
  "Deno.listen": `return Deno.listen({ port: 0 }).close() ?? at.escaped`,
  "Deno.listen on a Unix socket": `return Deno.listen({ transport: "unix", path: at.plugin + "/own.sock" }).close() ?? at.escaped`,
  "Deno.serve": `const server = Deno.serve({ port: 0, onListen: () => undefined }, () => new Response("")); await server.shutdown(); return at.escaped`,
  "Deno.listenDatagram": {
    tame: `const socket = Deno.listenDatagram({ port: 0, transport: "udp" }); socket.close(); return at.escaped`,
  },
  "Deno.resolveDns": { tame: `return await Deno.resolveDns("example.org", "A") && at.escaped` },
  WebSocket: `return await new Promise((resolve, reject) => { const socket = new WebSocket("ws://127.0.0.1:" + at.tcp)
    socket.onopen = () => resolve(at.escaped); socket.onerror = (e) => reject(e.error ?? new Error(e.message)) })`,
  WebSocketStream: { tame: `await new WebSocketStream("ws://127.0.0.1:" + at.tcp).opened; return at.escaped` },
  EventSource: `return await new Promise((resolve, reject) => { const source = new EventSource(\`${local}\`)
    source.onopen = () => { source.close(); resolve(at.escaped) }; source.onerror = (e) => { source.close(); reject(new Error(e.message ?? "refused")) } })`,
  WebTransport: { tame: `await new WebTransport("https://127.0.0.1:" + at.tcp).ready; return at.escaped` },
  "node:net": `const { connect } = await import("node:net"); return await new Promise((resolve, reject) => {
    const socket = connect(at.tcp, "127.0.0.1", () => { socket.end("x"); resolve(at.escaped) }); socket.on("error", reject) })`,
  "node:net on a Unix socket": `const { connect } = await import("node:net"); return await new Promise((resolve, reject) => {
    const socket = connect(at.unix, () => { socket.destroy(); resolve(at.escaped) }); socket.on("error", reject) })`,
  "node:net as a server": `const { createServer } = await import("node:net"); return await new Promise((resolve, reject) => {
    const server = createServer(); server.on("error", reject); server.listen(0, () => { server.close(); resolve(at.escaped) }) })`,
  "node:http": `const http = await import("node:http"); return await new Promise((resolve, reject) =>
    http.get(\`${local}\`, (answer) => answer.on("data", (data) => resolve(String(data)))).on("error", reject))`,
  "node:http as a server": `const http = await import("node:http"); return await new Promise((resolve, reject) => {
    const server = http.createServer(); server.on("error", reject); server.listen(0, () => { server.close(); resolve(at.escaped) }) })`,
  "node:http2": `const http2 = await import("node:http2"); return await new Promise((resolve, reject) => {
    const session = http2.connect(\`${local}\`); session.on("connect", () => { session.destroy(); resolve(at.escaped) }); session.on("error", reject) })`,
  "node:https": {
    tame: `const https = await import("node:https"); return await new Promise((resolve, reject) =>
    https.get("https://127.0.0.1:" + at.tcp, () => resolve(at.escaped)).on("error", reject))`,
  },
  "node:tls": {
    tame: `const { connect } = await import("node:tls"); return await new Promise((resolve, reject) => {
    connect(at.tcp, "127.0.0.1", { rejectUnauthorized: false }, () => resolve(at.escaped)).on("error", reject) })`,
  },
  "node:dgram": `const { createSocket } = await import("node:dgram"); const socket = createSocket("udp4")
    return await new Promise((resolve, reject) => { socket.on("error", reject); socket.send("x", at.udp, "127.0.0.1", (error) => {
      socket.close(); error ? reject(error) : resolve(at.escaped) }) })`,
  "node:dns lookup": `return (await (await import("node:dns/promises")).lookup("localhost")).address && at.escaped`,
  "node:dns resolve": {
    tame: `return await (await import("node:dns/promises")).resolve4("example.org") && at.escaped`,
  },
}
