/** A support desk: a model looks orders up, and may pay money back where the gate allows it. */
import { createInterface } from "node:readline/promises"
import { fileURLToPath } from "node:url"
import { type Models, Tool } from "hindcast"
import { fromModel, type Hindcast, open, playCassette, readGate } from "hindcast/promise"
import { z } from "zod"

export const GOAL = "Ada writes that the umbrella of order 7 arrived broken. Help her."

const ORDERS = new Map([[7, { item: "an umbrella", euros: 20 }]])

/** Hindcast records each call, and the gate decides about it before it runs. */
const tools = {
  order: Tool.make({
    description: "Looks an order up",
    args: z.object({ id: z.number().int() }),
    risk: "none",
    run: ({ id }) => ORDERS.get(id) ?? null,
  }),
  refund: Tool.make({
    description: "Pays money back to the customer of an order",
    args: z.object({ id: z.number().int(), euros: z.number().positive() }),
    risk: "medium",
    run: ({ id, euros }) => `paid ${euros} euros for order ${id}`,
  }),
}

/** Opens the log, with the tools and the rules of the gate. */
export const openDesk = async (log: string): Promise<Hindcast> =>
  open({ log, tools, gate: await readGate(new URL("hindcast.gate.yaml", import.meta.url)) })

/** The answers of the cassette, which need no key. */
export const recorded = () => playCassette(new URL("cassettes/umbrella.json", import.meta.url), "scripted/umbrella")

/** @param model a model, or its name, such as anthropic/claude-sonnet-4-5 */
export const makeAgent = (model: string | Models.Model) =>
  fromModel({
    model,
    guide: { systemPrompt: "You work at a support desk. Look at the order before you decide, and be brief." },
    budget: { steps: 10 },
  })

/** Asks at the terminal wherever the gate asks a person. */
const answer = async (hindcast: Hindcast): Promise<void> => {
  if (!process.stdin.isTTY)
    return console.log("Nobody is at the terminal: answer with npx hindcast confirm ls --log agent.db")
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  for await (const { confirmationId, shown, shownDigest = "" } of hindcast.confirmations.follow()) {
    const typed = await terminal.question(`Allow ${shown.actuator} ${JSON.stringify(shown.args)}? [y/N] `)
    const approved = typed.trim().toLowerCase() === "y"
    await hindcast.confirmations.decide(confirmationId, { approved, by: "me", channel: "terminal", shownDigest })
  }
  terminal.close()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const hindcast = await openDesk("agent.db")
  const answering = answer(hindcast)
  const model = process.env.MODEL ?? (await recorded())
  const { taskId, outcome } = await hindcast.tasks.run(makeAgent(model), { goal: GOAL })
  await hindcast.close()
  await answering
  console.log(`The task ended as ${outcome}. See why: npx hindcast task show ${taskId} --log agent.db`)
}
