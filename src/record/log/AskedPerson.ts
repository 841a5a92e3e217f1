/** Tells the person at the terminal that a call of a recorded program waits for an answer. */

import * as path from "node:path"
import * as ServerUrl from "../../events/log/ServerUrl.ts"
import type { RequestedEvent } from "../../kernel/gate/ConfirmationRequests.ts"
import { oneLine } from "../../values/PlainText.ts"
import { quoteWord } from "../../values/ShellWord.ts"

/** Writes one line to the standard error: which call waits, how long, and the command that approves it. */
export const note = (log: string, { payload: { confirmationId, shown, expiresAt } }: RequestedEvent): void => {
  const seconds = Math.max(0, Math.round((expiresAt - Date.now()) / 1000))
  const relative = ServerUrl.isAddress(log) ? "" : path.relative(process.cwd(), log)
  const file = quoteWord(relative === "" || relative.startsWith("..") ? log : relative)
  process.stderr.write(
    `hindcast: ${oneLine(String(shown.actuator))} waits up to ${seconds} s for an answer: npx hindcast confirm approve ${confirmationId} --log ${file}\n`,
  )
}
