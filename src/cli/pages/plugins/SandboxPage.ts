/** Formats the report of `hindcast doctor` on this machine's sandbox. */
import type { Program, SandboxReport } from "../../../plugins/sandbox/SandboxReport.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"

export const lines = (style: Style, report: SandboxReport): ReadonlyArray<string> => {
  const { platform, wanted, programs, tier, layer, why, improve, limits } = report
  return [
    tier === null
      ? `${style.bad("No sandbox")}: ${style.bold(wanted)} is required, so no plugin can be started`
      : `${layer === "none" ? style.warn("Sandbox") : style.good("Sandbox")}: ${style.bold(tier)} on ${platform}, layer ${style.bold(layer ?? "none")}`,
    `  why      ${oneLine(why)}`,
    ...(improve === null ? [] : [`  improve  ${oneLine(improve)}`]),
    "",
    ...Table.lines(
      style,
      ["program", "found", "version", "what it does"],
      programs.map((program) => row(style, program)),
    ),
    "",
    `Limits of a process: heap ${limits.heapMiB} MiB, other memory ${limits.memoryMiB} MiB, WebAssembly ${limits.wasmPages} pages, ${limits.descriptors} descriptors, niceness ${limits.niceness}`,
  ]
}

const row = (style: Style, { name, path, version, does, install }: Program): ReadonlyArray<string> => [
  style.name(name),
  path === null ? style.warn("missing") : oneLine(path),
  path === null ? `\`${install}\`` : oneLine(version ?? "unknown"),
  does,
]
