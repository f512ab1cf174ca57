import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './frame/app.tsx';
// All of it here: what a screen imports by itself is loaded late, and esbuild links no style to it.
import './frame/tokens.css';
import './frame/styles.css';
import './frame/shell.css';
import './board/board.css';
import './day/day.css';
import './desk/desk.css';
import './desk/endpoint.css';
import './desk/keys.css';
import './desk/product.css';

const root = document.getElementById('app');
if (root === null) throw new Error('the page has no place for the app');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
