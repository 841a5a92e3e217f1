/** Fields for the agent that forks or plays, among those named when Studio was started, and for its seed. */
import { useState } from "preact/hooks"

export interface AgentAndSeed {
  readonly agent: string
  readonly seed: string
}

export const orderOf = ({ agent, seed }: AgentAndSeed): { readonly agent?: string; readonly seed?: number } => ({
  ...(agent === "" ? {} : { agent }),
  ...(seed === "" ? {} : { seed: Number(seed) }),
})

/** The choice, initially the first agent. */
export const useAgentAndSeed = (agents: ReadonlyArray<string>) =>
  useState<AgentAndSeed>({ agent: agents[0] ?? "", seed: "" })

interface FieldsProps {
  readonly agents: ReadonlyArray<string>
  readonly chosen: AgentAndSeed
  /** The placeholder for no seed, such as "drawn". */
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
