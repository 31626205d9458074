import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { applyTheme } from './data/preferences.tsx'
import './style/app.css'

applyTheme()

const root = document.getElementById('root')
if (root !== null) createRoot(root).render(<App />)
