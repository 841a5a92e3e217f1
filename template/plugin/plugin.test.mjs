// Run it with `node --test plugin.test.mjs`: the plugin runs in its real sandbox.
import assert from "node:assert/strict"
import { after, before, test } from "node:test"
import { fileURLToPath } from "node:url"
import { loadPlugin } from "hindcast/testing"

let plugin
before(async () => {
  // You wrote it, so it may also run with only Deno's permissions (`npx hindcast doctor` says where that is so).
  plugin = await loadPlugin(fileURLToPath(new URL(".", import.meta.url)), { consent: "flags" })
})
after(() => plugin.close())

test("what is added is on the list, and what is finished is not", async () => {
  assert.equal(await plugin.act("add", { text: "milk" }), 1)
  assert.equal(await plugin.act("add", { text: "bread" }), 2)
  assert.equal(await plugin.act("finish", { text: "milk" }), 1)
  assert.deepEqual(await plugin.read("list"), { open: ["bread"], finished: 1 })
  assert.deepEqual(plugin.logs.at(-1), { level: "info", message: "added bread" })
})

test("what is not on the list cannot be finished", async () => {
  await assert.rejects(plugin.act("finish", { text: "nothing" }), ({ error }) => error.code === "not-there")
})

test("arguments that the manifest does not allow never come to the plugin", async () => {
  await assert.rejects(plugin.act("add", { text: 3 }), /args\.text: expected string, found 3/)
})
