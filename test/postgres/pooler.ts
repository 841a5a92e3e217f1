/** A pooler before the test's server, of which only the start of a session matters: what PgBouncer does to its settings. */
import * as net from "node:net"
import { Effect } from "effect"
import { server } from "./cluster.ts"

/**
 * `refuses`: as PgBouncer does by default. `ignores`: as with `ignore_startup_parameters = options`.
 *
 * @returns the pooler's port
 */
export const poolerThat = (does: "refuses" | "ignores") =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const { port, hostname } = new URL((await server()).url)
        const listening = net.createServer((client) => {
          client.on("error", () => {})
          client.once("data", (startup) => {
            if (does === "refuses") {
              client.end(REFUSAL)
              return
            }
            const behind = net.connect({ port: Number(port), host: hostname })
            behind.on("error", () => {})
            behind.write(withoutOptions(startup))
            client.pipe(behind).pipe(client)
          })
        })
        await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve))
        return listening
      }),
      (listening) => Effect.sync(() => listening.close()),
    ),
    (listening) => {
      const address = listening.address()
      return typeof address === "object" && address !== null ? address.port : 0
    },
  )

/** https://www.postgresql.org/docs/current/protocol-message-formats.html */
const REFUSAL = (() => {
  const fields = "SFATAL\0C08P01\0Munsupported startup parameter in options: search_path\0\0"
  const length = Buffer.alloc(4)
  length.writeInt32BE(4 + Buffer.byteLength(fields))
  return Buffer.concat([Buffer.from("E"), length, Buffer.from(fields)])
})()

const withoutOptions = (startup: Buffer): Buffer => {
  const words = startup.subarray(8).toString().split("\0")
  const at = words.indexOf("options")
  const parameters = Buffer.from(words.toSpliced(at, 2).join("\0"))
  const head = Buffer.from(startup.subarray(0, 8))
  head.writeInt32BE(8 + parameters.length)
  return Buffer.concat([head, parameters])
}
