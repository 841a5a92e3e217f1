/** The command `hindcast export mcap`: readings and commands in the MCAP format of robotics tools. */
import { Command } from "@effect/cli"
import { Effect } from "effect"
import { Records } from "../../events/read/Records.ts"
import { VERSION } from "../../kernel/versions.ts"
import * as McapChannels from "../../projections/exports/McapChannels.ts"
import * as EventExport from "./EventExport.ts"

export const mcap = Command.make("mcap", EventExport.options, (typed) =>
  EventExport.run(typed, {
    name: "mcap",
    binary: true,
    takes: "decoded",
    encoder: (source) =>
      Effect.map(importsUpTo(source.head.position), (imports) =>
        McapChannels.encoder({ ...source, version: VERSION, imports }),
      ),
  }),
).pipe(
  Command.withDescription("Write readings and commands as an MCAP file, with a channel for each sensor and actuator"),
)

const importsUpTo = (until: number) =>
  Effect.gen(function* () {
    const found: Array<McapChannels.Imported> = []
    const records = yield* Records
    yield* records.decoded({ types: ["PluginImported"], until }, { decrypted: false }, (page) =>
      Effect.sync(() => {
        for (const { link, text } of page) {
          const { plugin, manifest } = JSON.parse(text)
          found.push({ position: link.position, plugin, manifest })
        }
      }),
    )
    return found
  })
