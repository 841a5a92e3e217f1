/** Plugins with their grants, crashes and requests to the host. */
import { Fragment } from "preact"
import { visit } from "../model/Address.ts"
import { count, time } from "../parts/format.ts"
import { Link } from "../parts/Link.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useAnswer } from "../parts/useAnswer.ts"

export const PluginsScreen = () => {
  const { answer: plugins, problem } = useAnswer("plugins", {})
  const to = (position: number) => visit({ timeline: "main", task: null }, position)
  return (
    <main class="plugins">
      <div class="sentence">
        <h1>{plugins === null ? "Plugins" : count(plugins.length, "plugin")}</h1>
        <Problem text={problem} />
      </div>
      {(plugins ?? []).map(({ name, version, active, quarantined, grants, components, crashes, requests }) => (
        <article key={name}>
          <h2>
            <bdi>{name}</bdi>{" "}
            <small>
              <bdi>{version}</bdi>
            </small>{" "}
            {quarantined ? (
              <span class="bad">in quarantine</span>
            ) : active ? null : (
              <span class="quiet">not active</span>
            )}
          </h2>
          <dl class="facts">
            <dt>components</dt>
            <dd>{components.length === 0 ? "none" : components.join(", ")}</dd>
            <dt>grants</dt>
            <dd>
              {grants.length === 0
                ? "none: it can only compute"
                : grants.map((grant, index) => (
                    <Fragment key={grant}>
                      {index === 0 ? "" : ", "}
                      <bdi>{grant}</bdi>
                    </Fragment>
                  ))}
            </dd>
            <dt>crashes</dt>
            <dd>
              {crashes.length === 0 ? "none" : null}
              <ul>
                {crashes.map(({ position, at, reason }) => (
                  <li key={position}>
                    <Link to={to(position)} class="at">
                      @{position}
                    </Link>{" "}
                    {time(at)} <bdi>{reason}</bdi>
                  </li>
                ))}
              </ul>
            </dd>
            <dt>requests</dt>
            <dd>
              {requests.allowed} allowed, {requests.denied} denied
              <ul>
                {requests.last.map(({ position, line, bad }) => (
                  <li key={position} class={bad ? "bad" : undefined}>
                    <Link to={to(position)} class="at">
                      @{position}
                    </Link>{" "}
                    <bdi>{line}</bdi>
                  </li>
                ))}
              </ul>
            </dd>
          </dl>
        </article>
      ))}
      {plugins?.length === 0 ? <p class="empty">No plugin has been imported into this log.</p> : null}
    </main>
  )
}
