// A support desk: messages of customers come in by a webhook, a triage agent answers or hands them over, refunds wait for
// a person, and the desk remembers. The models follow scripts; `node desk.mjs [LOG]` serves until you stop it.
import { Listener, Models, Tool } from "hindcast"
import { fromModel, open } from "hindcast/promise"

const orders = new Map([["A-7", { customer: "ada@example.org", charges: [25, 25] }]])

const text = (...names) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
  required: names,
})

const tools = {
  order: Tool.make({
    description: "Looks an order up",
    args: text("number"),
    risk: "none",
    run: ({ number }) => orders.get(number) ?? "there is no such order",
  }),
  refund: Tool.make({
    description: "Pays the last charge of an order back",
    args: text("number"),
    risk: "high",
    run: ({ number }) => `refunded ${orders.get(number)?.charges.pop() ?? 0} EUR for ${number}`,
  }),
  answer: Tool.make({
    description: "Sends an answer to a customer",
    args: text("to", "message"),
    risk: "low",
    run: ({ to, message }) => {
      console.log(`to ${to}: ${message}`)
      return "sent"
    },
  }),
}

const ADA = "ada@example.org"

const billing = fromModel({
  ...{ name: "billing", version: "1", description: "charges and refunds" },
  guide: { systemPrompt: "You look an order up before you refund anything, and you answer the customer." },
  tools: ["program/order", "program/refund", "program/answer", "program/remember"],
  model: Models.scripted({
    turns: [
      Models.calls([{ tool: "program__order", args: { number: "A-7" } }]),
      Models.calls([{ tool: "program__refund", args: { number: "A-7" } }]),
      Models.calls([
        { tool: "program__answer", args: { to: ADA, message: "You get the second charge for A-7 back." } },
        { tool: "program__remember", args: { text: `${ADA} was charged twice for A-7, and got 25 EUR back` } },
      ]),
      Models.says("Refunded and answered."),
    ],
  }),
})

const triage = fromModel({
  ...{ name: "triage", version: "1", recall: true, handoffs: [billing] },
  guide: { systemPrompt: "You answer what you remember the answer of, and hand the rest over." },
  tools: ["program/answer"],
  model: Models.scripted({
    turns: [
      Models.calls([{ tool: "hand_off", args: { to: "billing", reason: "a double charge" } }]),
      Models.calls([{ tool: "program__answer", args: { to: ADA, message: "We refunded 25 EUR for A-7." } }]),
      Models.says("Answered from memory."),
    ],
  }),
})

const hindcast = await open({
  log: process.argv[2] ?? "desk.db",
  onOpenTasks: "resume",
  tools,
  memories: { scope: () => ({ agent: "desk" }) },
})
const { urls } = await hindcast.listen({
  listeners: [Listener.webhook({ name: "mail" })],
  rules: [{ agent: triage, when: "has(content.body.from)", goal: "{/content/body/from} asks: {/content/body/text}" }],
  port: Number(process.env.PORT ?? 8090),
})
console.log(`The desk takes messages at ${urls.mail}`)

process.once("SIGINT", () => void hindcast.close())
