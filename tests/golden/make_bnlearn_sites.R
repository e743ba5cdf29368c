# Makes bnlearn_sites.json: tables by bn.fit(method = "hdir") of bnlearn 5.2.1 (R 4.2.2), for tests/model/test_related.py.
#
#   Rscript tests/golden/make_bnlearn_sites.R > tests/golden/bnlearn_sites.json
suppressMessages(library(bnlearn))

numbers = function(x) paste0("[", paste(formatC(x, digits = 17, format = "g"), collapse = ", "), "]")
set.seed(7)
cases = list()
for (k in 1:8) {
  n = c(30, 60, 150, 400)[(k - 1) %% 4 + 1]
  sites = 2 + (k - 1) %% 3
  states = c(2, 3, 2 + k %% 2)
  site = sample.int(sites, n, replace = TRUE, prob = sites:1)
  a = ifelse(runif(n) < 0.5, site %% states[1] + 1, sample.int(states[1], n, replace = TRUE))
  b = ifelse(runif(n) < 0.6, (a + site) %% states[2] + 1, sample.int(states[2], n, replace = TRUE))
  c = ifelse(runif(n) < 0.6, (a * b) %% states[3] + 1, sample.int(states[3], n, replace = TRUE))
  data = data.frame(a = factor(a, 1:states[1]), b = factor(b, 1:states[2]), c = factor(c, 1:states[3]),
                    site = factor(site, 1:sites))
  dag = model2network("[site][a|site][b|a:site][c|a:b:site]")
  iss = c(1, 4, 10)[(k - 1) %% 3 + 1]
  alpha0 = c(1, 1, 5)[(k - 1) %% 3 + 1]
  fitted = suppressWarnings(bn.fit(dag, data, method = "hdir", group = "site", iss = iss, alpha0 = alpha0))
  rows = apply(data, 1, function(row) paste0("[", paste(as.integer(row) - 1, collapse = ", "), "]"))
  # The child varies fastest, then its parents in the order of the formula, and the site last.
  tables = sapply(c("a", "b", "c"), function(node) {
    prob = fitted[[node]]$prob
    wanted = c(node, setdiff(c("a", "b", "site"), c(node, if (node == "a") "b")))
    if (node == "a") wanted = c("a", "site")
    if (node == "b") wanted = c("b", "a", "site")
    if (node == "c") wanted = c("c", "a", "b", "site")
    prob = if (is.null(names(dimnames(prob)))) prob else aperm(prob, match(wanted, names(dimnames(prob))))
    paste0("\"", node, "\": ", numbers(prob))
  })
  cases[[k]] = paste0("{\"iss\": ", iss, ", \"alpha0\": ", alpha0, ", \"arities\": [",
    paste(c(states, sites), collapse = ", "), "], \"rows\": [", paste(rows, collapse = ", "), "],\n \"tables\": {",
    paste(tables, collapse = ", "), "}}")
}
cat("{\"version\": \"", as.character(packageVersion("bnlearn")), "\", \"cases\": [\n", paste(cases, collapse = ",\n"), "\n]}\n", sep = "")
