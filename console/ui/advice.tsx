// Lines of docs/operations.md and docs/contract.md, put in when the console is built.
declare const RUNBOOK: Record<string, string>
declare const DOCUMENTED_ERRORS: Record<string, string>

/** What to do about an error: what the runbook says, or else when the error occurs. */
export function Advice({ about, children }: { about: string; children?: preact.ComponentChildren }) {
  const [runbook, documented] = [RUNBOOK[about], DOCUMENTED_ERRORS[about]]
  return (
    <>
      {(runbook !== undefined || children) && (
        <>
          <h2>What to do next</h2>
          {runbook !== undefined && <Prose text={withoutCode(runbook)} />}
          {children}
        </>
      )}
      {runbook === undefined && documented !== undefined && <p class="quiet">The contract: {documented}.</p>}
    </>
  )
}

/** A line of the runbook begins with its code, which stands beside it already. */
function withoutCode(line: string): string {
  const text = line.replace(/^`\w+`: /, '')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A text with code between backticks. */
const Prose = ({ text }: { text: string }) => (
  <p>{text.split('`').map((piece, at) => (at % 2 === 1 ? <code key={at}>{piece}</code> : piece))}</p>
)
