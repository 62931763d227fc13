import { render } from 'preact'
import { App } from './app.tsx'
import { restore } from './session.ts'

void restore()
render(<App />, document.getElementById('console') as HTMLElement)
