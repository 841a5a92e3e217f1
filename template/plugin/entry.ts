import type { Plugin } from "hindcast/plugin"

/** This process serves every task of its kernel. With an `environment`, each task would have its own process. */
let open: ReadonlyArray<string> = []
let finished = 0

export default {
  sensors: {
    list: () => ({ open, finished }),
  },
  actuators: {
    // The host checks arguments against the manifest's `args`, and the returned value against its `result`.
    add: (context, { text }: { readonly text: string }) => {
      open = [...open, text]
      context.log(`added ${text}`)
      return open.length
    },
    finish: (_context, { text }: { readonly text: string }) => {
      // Throw to refuse: the agent sees the code and the message.
      if (!open.includes(text)) throw Object.assign(new Error(`${text} is not on the list.`), { code: "not-there" })
      open = open.filter((item) => item !== text)
      finished += 1
      return open.length
    },
  },
} satisfies Plugin
