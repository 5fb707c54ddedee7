// Runs all tests of the page in one process, because they share a browser: node --test all.mjs.
import "./bundle.test.mjs";
import "./edges.test.mjs";
import "./hostile.test.mjs";
import "./network.test.mjs";
import "./page.test.mjs";
import "./program.test.mjs";
import "./schedule.test.mjs";
import "./speed.test.mjs";
import "./tables_and_pictures.test.mjs";
import "./tiles.test.mjs";
