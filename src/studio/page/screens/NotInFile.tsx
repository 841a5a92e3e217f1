/**
 * The text that a shared file shows instead of the screens and dialogs that need a server: `scripts/studio.mjs` puts this module
 * in their place, which keeps files small.
 */
import { DialogBox } from "../parts/Dialog.tsx"

const TEXT = "A shared file is read-only. Open the log with hindcast studio for this."

const Screen = () => (
  <main class="lost">
    <h1>Not in a shared file</h1>
    <p>{TEXT}</p>
  </main>
)

const Dialog = ({ onClose }: { readonly onClose: () => void }) => (
  <DialogBox title="Not in a shared file" onClose={onClose}>
    <p>{TEXT}</p>
  </DialogBox>
)

export {
  Dialog as RescoreDialog,
  Dialog as TasksDialog,
  Screen as SignInScreen,
  Screen as LogsScreen,
  Screen as ScenariosScreen,
  Screen as PluginsScreen,
}
