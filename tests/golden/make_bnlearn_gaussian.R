# Writes bnlearn_gaussian.json: scores of bnlearn for numbers, and for numbers and categories together.
#   Rscript tests/golden/make_bnlearn_gaussian.R > tests/golden/bnlearn_gaussian.json
suppressMessages(library(bnlearn))
set.seed(39)
n <- 90
f <- sample(c("a", "b", "c"), n, replace = TRUE)
g <- ifelse(runif(n) < ifelse(f == "a", 0.8, 0.3), "no", "yes")
x <- round(rnorm(n, 10 * (f == "b"), 3), 3)
y <- round(0.02 * x + rnorm(n, 5, 0.1), 3)
z <- round(ifelse(g == "no", 200 * y, -100 * y) + rnorm(n, 0, 20), 3)
w <- round(rt(n, 3), 3)
data <- data.frame(f = factor(f), g = factor(g), x = x, y = y, z = z, w = w)
numbers <- c("x", "y", "z", "w")
family <- function(child, parents, data, type) {
  graph <- empty.graph(names(data))
  if (length(parents) > 0)
    arcs(graph) <- cbind(from = parents, to = child)
  score(graph, data, type = type, by.node = TRUE)[[child]]
}
listed <- function(items) paste0("[", paste(items, collapse = ", "), "]")
text <- function(words) listed(sprintf('"%s"', words))
rows <- c()
ask <- function(type, data, child, parents) {
  value <- family(child, parents, data, type)
  if (is.finite(value))
    rows <<- c(rows, sprintf('    ["%s", "%s", %s, %.17g]', type, child,
                             if (length(parents)) text(parents) else "[]", value))
}
for (child in numbers)
  for (k in 0:3)
    for (parents in combn(setdiff(numbers, child), k, simplify = FALSE)) {
      ask("bic-g", data[numbers], child, parents)
      ask("bge", data[numbers], child, parents)
    }
for (child in names(data))
  for (k in 0:3)
    for (parents in combn(setdiff(names(data), child), k, simplify = FALSE))
      if (child %in% numbers || !any(parents %in% numbers))  # bnlearn refuses the others
        ask("bic-cg", data, child, parents)
cat("{\n", '  "bnlearn": "', as.character(packageVersion("bnlearn")), '",\n', sep = "")
cat('  "command": "Rscript tests/golden/make_bnlearn_gaussian.R > tests/golden/bnlearn_gaussian.json",\n')
cat('  "data": {\n    "f": ', text(f), ',\n    "g": ', text(g), ",\n", sep = "")
cat(paste0('    "', numbers, '": ', sapply(data[numbers], listed), collapse = ",\n"), "\n  },\n", sep = "")
cat('  "families": [\n', paste(rows, collapse = ",\n"), "\n  ]\n}\n", sep = "")
