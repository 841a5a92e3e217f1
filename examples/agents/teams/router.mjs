/**
 * Router: the first agent only decides who is right for a task, and hands it over. The specialist continues the same
 * conversation, with its own guide and tools. Offline: the models follow a script.
 *
 *     node router.mjs [LOG]
 */
import { Models, Tool } from "hindcast"
import { fromModel, open } from "hindcast/promise"

const refunds = Tool.make({
  description: "Pays an invoice back",
  args: { type: "object", properties: { invoice: { type: "string" } }, required: ["invoice"] },
  risk: "low",
  run: ({ invoice }) => ({ refunded: invoice }),
})

const billing = fromModel({
  ...{ name: "billing", version: "1", description: "invoices and refunds", tools: ["program/refund"] },
  guide: { systemPrompt: "You refund what was charged twice." },
  model: Models.scripted({
    turns: [
      Models.calls([{ tool: "program__refund", args: { invoice: "A-7" } }]),
      Models.says("You get the money for A-7 back."),
    ],
  }),
})
const technology = fromModel({
  ...{ name: "technology", version: "1", description: "errors and outages", tools: [] },
  model: Models.scripted({ turns: [] }),
})
const router = fromModel({
  ...{ name: "router", version: "1", tools: [], handoffs: [billing, technology] },
  guide: { systemPrompt: "You hand each request to the right colleague." },
  model: Models.scripted({
    turns: [Models.calls([{ tool: "hand_off", args: { to: "billing", reason: "a double charge" } }])],
  }),
})

const hindcast = await open({
  log: process.argv[2] ?? "router.db",
  gate: { default: "allow" },
  tools: { refund: refunds },
})
const { taskId, outcome } = await hindcast.tasks.run(router, { goal: "Invoice A-7 was charged twice." })
for await (const { payload } of hindcast.events.read({ taskId, types: ["TaskHandedOff"] })) {
  console.log(outcome, `${payload.from} to ${payload.to}:`, payload.reason)
}
await hindcast.close()
