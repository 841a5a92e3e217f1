/** The agent that goes on or plays, of those that were named when Studio was started, and the seed that it does so with. */
import { useState } from "preact/hooks"

/** What was chosen, as orders have it. */
export interface AgentAndSeed {
  readonly agent: string
  /** As it is typed; empty for none. */
  readonly seed: string
}

/** The fields of an order. What was not chosen is not there. */
export const orderOf = ({ agent, seed }: AgentAndSeed): { readonly agent?: string; readonly seed?: number } => ({
  ...(agent === "" ? {} : { agent }),
  ...(seed === "" ? {} : { seed: Number(seed) }),
})

/** The choice, at first of the first agent. */
export const useAgentAndSeed = (agents: ReadonlyArray<string>) =>
  useState<AgentAndSeed>({ agent: agents[0] ?? "", seed: "" })

interface FieldsProps {
  readonly agents: ReadonlyArray<string>
  readonly chosen: AgentAndSeed
  /** What stands for no seed, such as "drawn". */
  readonly otherwise: string
  readonly onChoose: (chosen: AgentAndSeed) => void
}

export const AgentAndSeedFields = ({ agents, chosen, otherwise, onChoose }: FieldsProps) => (
  <>
    <label>
      agent{" "}
      <select
        value={chosen.agent}
        onChange={({ currentTarget }) => onChoose({ ...chosen, agent: currentTarget.value })}
      >
        {agents.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
    <label>
      seed{" "}
      <input
        inputMode="numeric"
        pattern="\d{1,15}"
        size={Math.max(6, otherwise.length)}
        value={chosen.seed}
        placeholder={otherwise}
        onInput={({ currentTarget }) => onChoose({ ...chosen, seed: currentTarget.value })}
      />
    </label>
  </>
)
