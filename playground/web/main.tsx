import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { startTheme } from './theme/use-theme.js';
import './theme/tokens.css';
import './theme/base.css';

startTheme();

const place = document.querySelector('#studio');
if (!place) throw new Error('index.html has no place for the studio.');
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
