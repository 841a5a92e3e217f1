/** The keys, and the setting for single-key commands. */

import { KINDS } from "../../wire/Kind.ts"
import { KEYS } from "../model/keys.ts"
import { settings } from "../model/settings.ts"
import { DialogBox } from "./Dialog.tsx"
import { Mark, NAMES } from "./Mark.tsx"

export const Help = ({ onClose }: { readonly onClose: () => void }) => (
  <DialogBox title="Keys" onClose={onClose}>
    <dl class="keys">
      {KEYS.map(({ shown, says }) => (
        <div key={shown}>
          <dt>
            <kbd>{shown}</kbd>
          </dt>
          <dd>{says}</dd>
        </div>
      ))}
    </dl>
    <label>
      <input
        type="checkbox"
        checked={settings.singleKeys.value}
        onChange={() => settings.setSingleKeys(!settings.singleKeys.value)}
      />{" "}
      single keys are commands
    </label>
    <h3>Marks</h3>
    <ul class="legend">
      {KINDS.map((kind) => (
        <li key={kind}>
          <Mark kind={kind} /> {NAMES[kind]}
        </li>
      ))}
      <li>
        <Mark kind="command" bad /> failed, denied, or of unknown outcome
      </li>
    </ul>
  </DialogBox>
)
