// Writes the table of docs/reference/settings.md. The text above the table is kept.
import { readFileSync, writeFileSync } from 'node:fs';
import { renderSettingsTable } from '../dist/surfaces/config/settings.js';

const page = new URL('../docs/reference/settings.md', import.meta.url);
const text = readFileSync(page, 'utf8');
writeFileSync(page, text.slice(0, text.indexOf('| setting |')) + renderSettingsTable());
