// Counts of a pair of rows as columns and rows.
#include "split_work.hpp"

#include <vector>

#include "block_work.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/work.hpp"
#include "lower_cluster.hpp"
#include "lower_split.hpp"
#include "statement.hpp"
#include "statements_work.hpp"

namespace ffc {
namespace {

// Of a tile of 16 columns, or of what samples there are of one: m16n8k16.
double column_products(const Statement& product) {
  return product.from == Shape::whole && product.to == Shape::whole ? 8 : 4;
}

// Of a complex row. Two rows at a right angle take that twice.
Work work_of(const ColumnsAndRowsPlan& plan, const std::vector<Statement>& statements) {
  Work sum;
  for (const Statement& stage : statements)
    sum += stage.operation == Operation::columns ? statements_work(stage.body, column_products)
                                                 : sum_of(plan.row_plan, stage.body);
  return times(sum, plan.right_angle() ? 2 : 1);
}

// With the rows of gradients and what they are made of. Barriers are left out, and sums over the batch, which stay in
// the L2 cache.
Work backward_split_work(const FourStepPlan& plan, const ConvConfig& config) {
  Work work = work_of(plan, lower_split(config, plan));
  work.barrier_arrivals = 0;
  const Work rows = backward_row_bytes(plan, config);
  work.bytes_read += rows.bytes_read;
  work.bytes_written += rows.bytes_written;
  return work;
}

}  // namespace

Work split_work(const FourStepPlan& plan, const ConvConfig& config) {
  return plan.is_backward() ? backward_split_work(plan, config) : work_of(plan, lower_split(config, plan));
}

Work cluster_work(const ClusterPlan& plan, const ConvConfig& config) {
  return work_of(plan, lower_cluster(config, plan));
}

}  // namespace ffc
