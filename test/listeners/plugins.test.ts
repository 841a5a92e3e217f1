import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import { describe, expect } from "vitest"
import { Registry } from "../../src/kernel/registry/Registry.ts"
import * as Listener from "../../src/listeners/index.ts"
import { writePlugin } from "../kernel/given.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { temporaryDirectory } from "../temporary.ts"
import { echo, eventsOf, post, signedByGitHub, until } from "./given.ts"

const SECRET = "HINDCAST_TEST_WEBHOOK_SECRET"

/** A plugin whose listener takes orders. */
const shop = (directory: string, listeners: ReadonlyArray<object>, entry: string) => {
  const place = writePlugin(path.join(directory, "sources", "shop"), { name: "shop", entry })
  const file = path.join(place, "looper-plugin.json")
  const manifest = JSON.parse(fs.readFileSync(file, "utf8"))
  fs.writeFileSync(file, JSON.stringify({ ...manifest, listeners }))
  return place
}

const ENTRY = `export default {
  listeners: {
    orders: (context, { headers, query, body }) => {
      if (body.kind === "ping") return null
      if (body.kind === "crash") throw new Error("it broke")
      if (body.kind === "nonsense") return { id: 7 }
      return { ...(body.number ? { id: body.number } : {}), content: { body, query, sees: Object.keys(headers).sort() } }
    },
  },
}`

const orders = { name: "orders", description: "Orders of the shop" }

const kernelWith = (listeners: ReadonlyArray<object>, entry = ENTRY) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const plugins = [shop(directory, listeners, entry)]
    const { layer } = yield* testKernel({ directory, plugins, onOpenTasks: "resume" })
    const context = yield* Layer.build(layer)
    return <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, context)
  })

describe("a listener of a plugin", () => {
  it.scopedLive("reads requests that the host has received, and sees no keys", () =>
    Effect.gen(function* () {
      const run = yield* kernelWith([orders])
      const { urls } = yield* run(Listener.serve({ listeners: ["shop/orders"], rules: [{ agent: echo }] }))
      const url = urls["shop-orders"] ?? "none"
      expect(new URL(url).pathname).toBe("/shop/orders")
      const secret = { authorization: "Bearer key", cookie: "a=b" }
      const order = { kind: "order", number: "o1" }
      expect(yield* post(`${url}?a=1`, order, secret)).toMatchObject({ status: 202, answer: { id: "o1" } })
      expect((yield* post(url, order)).answer).toMatchObject({ id: "o1", duplicate: true })
      const delivery = { "x-github-delivery": "d1" }
      expect((yield* post(url, { kind: "order" }, delivery)).answer).toMatchObject({ id: "d1" })
      expect((yield* post(url, { kind: "ping" })).status).toBe(204)
      expect(yield* post(url, { kind: "crash" })).toMatchObject({
        status: 502,
        answer: { error: "PluginFailed", message: expect.stringContaining("it broke") },
      })
      expect((yield* post(url, { kind: "nonsense" })).answer.message).toContain("content")
      yield* run(until("TaskClosed", 2))
      const [first, second, ...others] = yield* run(eventsOf("SignalReceived"))
      expect(others).toEqual([])
      expect(first?.payload).toMatchObject({ listener: "shop-orders", source: "plugin:shop-orders", id: "o1" })
      expect(first?.payload.content).toMatchObject({ query: { a: "1" }, body: order })
      expect(JSON.stringify(first?.payload)).not.toMatch(/authorization|cookie/)
      expect(second?.payload.id).toBe("d1")
      // A plugin that is switched off hears nothing.
      yield* run(Effect.flatMap(Registry, ({ deactivate }) => deactivate("shop")))
      expect((yield* post(url, order)).answer.message).toContain("the plugin is inactive")
    }),
  )

  it.scopedLive("needs the secret of its manifest's signature, which the host checks", () =>
    Effect.gen(function* () {
      const run = yield* kernelWith([{ ...orders, signature: { scheme: "github", secret: SECRET } }])
      const serve = run(Listener.serve({ listeners: ["shop/orders"], rules: [] }))
      const missing = yield* Effect.either(Effect.scoped(serve))
      expect(Either.isLeft(missing) && missing.left.message).toContain(SECRET)
      process.env[SECRET] = "the shop's secret"
      yield* Effect.addFinalizer(() => Effect.sync(() => delete process.env[SECRET]))
      const { urls } = yield* serve
      const body = JSON.stringify({ kind: "order" })
      const url = urls["shop-orders"] ?? "none"
      expect((yield* post(url, body)).status).toBe(401)
      expect((yield* post(url, body, signedByGitHub("the shop's secret", body))).status).toBe(202)
    }),
  )

  it.scopedLive("must be in the manifest and in the entry", () =>
    Effect.gen(function* () {
      const run = yield* kernelWith([orders])
      const told = (...listeners: ReadonlyArray<string>) =>
        Effect.map(run(Effect.either(Effect.scoped(Listener.serve({ listeners, rules: [] })))), (served) =>
          Either.isLeft(served) ? served.left.message : "nothing",
        )
      expect(yield* told("shop/order")).toContain("its manifest declares only orders")
      expect(yield* told("shop2/orders")).toContain("shop2")
      expect(yield* told("orders")).toContain("as plugin/listener")
      const without = yield* kernelWith([orders], "export default {}")
      const { urls } = yield* without(Listener.serve({ listeners: ["shop/orders"], rules: [] }))
      const refused = yield* post(urls["shop-orders"] ?? "none", {})
      expect(refused).toMatchObject({ status: 502, answer: { message: expect.stringContaining("listener orders") } })
    }),
  )
})
