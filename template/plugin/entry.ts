import type { Plugin } from "hindcast/plugin"

/** This process serves every task of its kernel. With an `environment`, each task would have a process of its own. */
let open: ReadonlyArray<string> = []
let finished = 0

export default {
  sensors: {
    list: () => ({ open, finished }),
  },
  actuators: {
    // What comes fits the `args` of the manifest, and what is returned has to fit its `result`.
    add: (context, { text }: { readonly text: string }) => {
      open = [...open, text]
      context.log(`added ${text}`)
      return open.length
    },
    finish: (_context, { text }: { readonly text: string }) => {
      // To refuse is to throw: the code and the message are what the agent is told.
      if (!open.includes(text)) throw Object.assign(new Error(`${text} is not on the list.`), { code: "not-there" })
      open = open.filter((item) => item !== text)
      finished += 1
      return open.length
    },
  },
} satisfies Plugin
