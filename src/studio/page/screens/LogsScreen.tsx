/** The logs of a shared Studio that a person may see. */
import type { SessionInfo } from "../../wire/Session.ts"
import { SignedIn } from "../parts/SignedIn.tsx"
import { prefixOf } from "../source/TeamSession.ts"

/** @param missing the log that an address names and this person may not see, or that does not exist */
export const LogsScreen = ({
  session,
  missing,
}: {
  readonly session: SessionInfo
  readonly missing: string | null
}) => (
  <main class="lost">
    <h1>{missing === null ? "Logs" : "You may not see this log, or it does not exist"}</h1>
    {session.logs.length === 0 ? (
      <p>Your account has no role on any log. Ask the person who runs Studio for one.</p>
    ) : (
      <ul class="logs">
        {session.logs.map(({ id, roles, personal, isOpen }) => (
          <li key={id}>
            <a href={`${prefixOf(id)}/`}>{id}</a>{" "}
            <span class="quiet">
              you may {roles.join(", ")}
              {personal ? "; with personal data" : "; personal data is sealed"}
              {isOpen ? "" : "; it could not be opened"}
            </span>
          </li>
        ))}
      </ul>
    )}
    <p>
      <SignedIn />
    </p>
  </main>
)
