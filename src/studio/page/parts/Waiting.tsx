/** In place of content that loads, or why it does not. */
import type { SourceFailed } from "../source/Source.ts"
import { Problem } from "./Problem.tsx"

export const Waiting = ({ problem }: { readonly problem: SourceFailed | null }) =>
  problem === null ? (
    <div class="waiting" aria-busy="true">
      <span class="skeleton" />
      <span class="skeleton" />
      <span class="skeleton" />
    </div>
  ) : (
    <Problem text={problem.message} />
  )
